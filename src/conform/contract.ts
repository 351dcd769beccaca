/** Contract of the API: the operations of an OpenAPI document. */

export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
}

interface MediaTypes {
  content?: Record<string, { schema?: Schema; example?: unknown }>
}

interface DocumentedOperation {
  operationId: string
  tags: string[]
  security?: object[]
  parameters?: Array<{ in: string; name: string; example?: unknown }>
  requestBody?: MediaTypes
  responses: Record<string, MediaTypes>
}

/** Parts of an OpenAPI document that the contract uses. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, DocumentedOperation>>
  components?: { schemas?: Record<string, Schema> }
}

export type Version = 'v1' | 'v2'

/** One operation of the payments API. */
export interface Operation {
  id: string
  version: Version
  method: string
  /** Path with parameters in braces, such as /v2/deposits/{depositId}. */
  path: string
  needsToken: boolean
  /** Path parameters, each with an example. */
  pathParameters: Array<{ name: string; example: string }>
  /** Valid body, if the operation has one. */
  bodyExample?: unknown
  bodySchema?: Schema
  responses: Map<number, Schema | undefined>
}

export interface Contract {
  operations: Operation[]
  /** Finds the operation of a request. */
  find: (method: string, path: string) => Operation | undefined
  /** Replaces a reference by its schema. */
  resolve: (schema: Schema) => Schema
}

/** Reads the operations of v1 and v2. Other operations of the document are ignored. */
export function readContract (document: OpenApiDocument): Contract {
  const schemas = document.components?.schemas ?? {}
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(
      ([method, described]) => readOperation(method, path, described) ?? []
    )
  )
  const patterns = operations
    .map((operation) => ({ operation, pattern: buildPattern(operation.path) }))
    // A path without parameters comes first: /payouts/bulk is not /payouts/{payoutId}.
    .sort((a, b) => a.operation.pathParameters.length - b.operation.pathParameters.length)
  return {
    operations,
    find: (method, path) =>
      patterns.find(
        ({ operation, pattern }) => operation.method === method.toUpperCase() && pattern.test(path)
      )?.operation,
    resolve: (schema) =>
      schema.$ref === undefined ? schema : (schemas[refName(schema.$ref)] ?? {})
  }
}

function readOperation (
  method: string,
  path: string,
  described: DocumentedOperation
): Operation | undefined {
  const {
    operationId,
    tags: [tag = ''],
    security = [],
    parameters = [],
    requestBody,
    responses
  } = described
  const version = tag.split(' ')[0]
  if (version !== 'v1' && version !== 'v2') return undefined
  const body = requestBody?.content?.['application/json']
  return {
    id: operationId,
    version,
    method: method.toUpperCase(),
    path,
    needsToken: security.length > 0,
    pathParameters: parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, example }) => ({ name, example: String(example) })),
    ...(body !== undefined && { bodyExample: body.example, bodySchema: body.schema }),
    responses: new Map(
      Object.entries(responses).map(([status, { content }]) => [
        Number(status),
        content?.['application/json']?.schema
      ])
    )
  }
}

function buildPattern (path: string): RegExp {
  return new RegExp(`^${path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`)
}

function refName (reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}
