import Fastify from 'fastify'
import { AdminErrorAnswer } from '../../src/admin-api/errors.ts'
import { sampleOf } from '../../src/openapi/sample.ts'
import { toPlainSchema, withComponents, type Schema } from '../../src/openapi/schema.ts'
import { tags, type Tag } from '../../src/openapi/tags.ts'
import { CustomerError } from '../../src/wire/pages.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { operationName, type RouteConfig } from '../http/context.ts'
import {
  callbackOperations,
  components,
  initiationHeaders,
  refusalResponses
} from './document-parts.ts'

/** Routes to describe, as plain data, and the versions of the API. */
export interface DescribedApp {
  routes: readonly Route[]
  wires: readonly Wire[]
  version: string
}

interface Route {
  method: string | string[]
  url: string
  schema?: Schema
  config?: RouteConfig
}

/**
 * OpenAPI document of a server. The generator gets copies of the routes without handlers and hooks:
 * it shares nothing with the running server that could be closed.
 */
export async function describeRoutes ({ routes, wires, version }: DescribedApp): Promise<Schema> {
  const { default: swagger } = await import('@fastify/swagger')
  const http = Fastify({ logger: false, exposeHeadRoutes: false })
  http.setValidatorCompiler(() => () => true)
  http.setSerializerCompiler(() => (value) => JSON.stringify(value))
  await http.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'momock',
        version,
        summary: 'A mock of a merchant mobile-money payments API, v1 and v2.',
        license: { name: 'MIT', identifier: 'MIT' }
      },
      servers: [{ url: '/', description: 'this server' }],
      tags: [],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'The API token of an account.' },
          adminToken: {
            type: 'apiKey',
            in: 'header',
            name: 'X-Momock-Admin-Token',
            description: 'Needed by admin calls when the server was started with an admin token.'
          }
        }
      },
      webhooks: callbackOperations(wires)
      // The types of the generator do not know the fields that OpenAPI 3.1 added.
    } as object,
    convertConstToEnum: false,
    transform: (route) =>
      operation(route as { route: Route } & Pick<Route, 'schema' | 'url'>, wires) as never
  })
  for (const { method, url, schema, config } of routes) {
    http.route({ method, url, schema: { ...schema }, config, handler: () => {} })
  }
  await http.ready()
  const document = toPlainSchema(http.swagger())
  await http.close()
  withExamples(document, wires)
  withTags(document, wires)
  return withComponents(document, components(wires))
}

/** The version a path belongs to. */
export function wireOf (wires: readonly Wire[], path: string): Wire {
  const bare = wires.find(({ prefix }) => prefix === '') ?? wires[0]
  return wires.find(({ prefix }) => prefix !== '' && path.startsWith(`${prefix}/`)) ?? bare
}

/**
 * Operation of a route: its documentation, and what follows from its schema, its token and its
 * version.
 */
function operation (
  { schema = {}, url, route }: { schema?: Schema; url: string; route: Route },
  wires: readonly Wire[]
): { schema: Schema; url: string } {
  const {
    documentation,
    permission,
    isOpen: open,
    signed,
    errors = [],
    link: _,
    count: __,
    ...place
  }: Partial<RouteConfig> = route.config ?? {}
  if (documentation === undefined) {
    throw new Error(
      `${String(route.method)} ${url} is not documented: its config must say { ` +
        'documentation: { id, summary, tag } }'
    )
  }
  if (documentation === 'hidden') return { schema: { hide: true }, url }
  const { id, summary, description, tag, body } = documentation
  const wire = tag === 'admin' || tag === 'customer' ? undefined : wireOf(wires, url)
  const isGuarded = tag === 'admin' && open !== true
  const input = {
    hasFields: [schema.params, schema.querystring, schema.body, body].some(hasFields),
    // A call without a body of its own, such as DELETE, is refused too when a bad one is sent.
    hasBody: !['GET', 'HEAD'].includes(String(route.method))
  }
  // Calls that change something are refused from pages of other origins, with 403.
  const isFromPages = tag === 'customer' && input.hasBody
  const tokenErrors = isGuarded || permission !== undefined ? [401, 403] : isFromPages ? [403] : []
  return {
    url,
    schema: {
      ...schema,
      ...(body !== undefined && { body }),
      ...(wire !== undefined &&
        place.operation === 'initiate' && { headers: initiationHeaders(signed === true) }),
      operationId: wire === undefined ? id : operationName(wire.version, id),
      summary,
      ...(description !== undefined && { description }),
      tags: [groupName(tag, wire)],
      security: isGuarded ? adminSecurity : permission === undefined ? [] : [{ bearer: [] }],
      response: {
        ...(wire === undefined &&
          described(
            Object.fromEntries(
              [...generalErrors(input, tokenErrors), ...errors].map((status) => [
                status,
                tag === 'admin' ? AdminErrorAnswer : CustomerError
              ])
            )
          )),
        ...described(schema.response ?? {}),
        ...(wire !== undefined &&
          described(
            refusalResponses(
              wire,
              { operation: 'none', ...place },
              // Headers and the query of any call of the API can be wrong.
              generalErrors({ ...input, hasFields: true }, tokenErrors),
              errors
            )
          ))
      }
    }
  }
}

/** Tells whether a request has fields that can be wrong. */
function hasFields (schema: Schema | undefined): boolean {
  return schema !== undefined && (schema.type !== 'object' || !isEmpty(schema))
}

function isEmpty ({ properties = {}, additionalProperties }: Schema): boolean {
  return Object.keys(properties).length === 0 && additionalProperties === undefined
}

/** Statuses of errors of all calls: of the fields, the token and the body, and of the ledger. */
function generalErrors (
  { hasFields, hasBody }: { hasFields: boolean; hasBody: boolean },
  tokenErrors: number[]
): number[] {
  const ofRequest = [...(hasFields || hasBody ? [400] : []), ...tokenErrors]
  return [...ofRequest, ...(hasBody ? [413] : []), 500, 503]
}

/** The token of an account selects the account; without it, it is the default account. */
const adminSecurity = [{ bearer: [] }, {}, { adminToken: [], bearer: [] }, { adminToken: [] }]

const meanings: Record<string, string> = {
  200: 'The answer.',
  201: 'It was made.',
  400: 'The request does not fit the specification.',
  401: 'The token, or the signature, is missing or not valid.',
  403: 'The token or the account may not do this.',
  404: 'There is no such thing.',
  405: 'That method is not possible here.',
  408: 'It did not come to pass in time.',
  409: 'It cannot be done as things stand.',
  410: 'It has expired.',
  413: 'The body is too large.',
  429: 'A scenario or an ordered status check says so.',
  500: 'Something went wrong inside the mock, or a scenario or an ordered status check says so.',
  503: 'The ledger is out of reach for a moment, or a scenario or an ordered status check says so.'
}

function described (response: Schema): Schema {
  return Object.fromEntries(
    Object.entries<Schema>(response).map(([status, schema]) => [
      status,
      {
        ...schema,
        'x-response-description': schema.description ?? meanings[status] ?? `Status ${status}.`
      }
    ])
  )
}

function groupName (tag: Tag, wire?: Wire): string {
  return wire === undefined ? tag : `${wire.version} ${tag}`
}

/** Every operation with the examples that its schemas make. */
function withExamples (document: Schema, wires: readonly Wire[]): void {
  for (const [path, item] of Object.entries<Schema>(document.paths)) {
    const { version } = wireOf(wires, path)
    for (const { parameters = [], requestBody } of Object.values<Schema>(item)) {
      for (const parameter of parameters) {
        if (parameter.in === 'path') {
          parameter.example ??= sampleOf(parameter.schema, `${version}.${parameter.name}`)
        }
      }
      const media = requestBody?.content['application/json']
      if (media !== undefined) media.example ??= sampleOf(media.schema, version)
    }
  }
}

/** The groups that are in use, in the order of the list, the current version first. */
function withTags (document: Schema, wires: readonly Wire[]): void {
  const used = new Set(
    [...Object.values<Schema>(document.paths), ...Object.values<Schema>(document.webhooks)].flatMap(
      (item) => Object.values<Schema>(item).flatMap(({ tags }) => tags)
    )
  )
  const groups = [...wires]
    .sort((a, b) => (a.version < b.version ? 1 : -1))
    .map((wire) => ({
      name: wire.prefix === '' ? 'v1' : 'v2',
      tags: (Object.keys(tags) as Tag[])
        .map((tag) => ({ name: groupName(tag, wire), description: tags[tag] }))
        .filter(({ name }) => used.has(name))
    }))
  groups.push({
    name: 'The mock itself',
    tags: (['customer', 'admin'] as const).map((name) => ({ name, description: tags[name] }))
  })
  document.tags = groups.flatMap((group) => group.tags)
  document['x-tagGroups'] = groups.map((group) => ({
    name: group.name,
    tags: group.tags.map(({ name }) => name)
  }))
}
