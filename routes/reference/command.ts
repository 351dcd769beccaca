import { writeCurl } from '../../src/lib/curl.ts'
import { sampleOf } from '../../src/openapi/sample.ts'
import type { Schema } from '../../src/openapi/schema.ts'

/** Address and token in the examples. */
export interface ReferenceReader {
  base: string
  token: string
  /** True if admin calls need the admin token. */
  guarded: boolean
}

/** Operation of the document, with its method and path. */
export interface Operation extends Schema {
  method: string
  path: string
}

/** Path of an operation with the examples of its parameters. */
export function fillAddress ({ path, parameters = [] }: Operation): string {
  const filled = parameters.reduce(
    (url: string, { name, example }: Schema) =>
      url.replace(`{${name}}`, encodeURIComponent(String(example))),
    path
  )
  const query = parameters
    .filter(({ in: place, required }: Schema) => place === 'query' && required)
    .map(
      ({ name, example, schema }: Schema) =>
        `${name}=${encodeURIComponent(String(example ?? sampleOf(schema, name)))}`
    )
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`
}

/** A command that makes the call. */
export function curlCommand (
  operation: Operation,
  { base, token, guarded }: ReferenceReader
): string {
  const { method, requestBody, security } = operation
  const body = requestBody?.content['application/json'].example
  const isAdmin = security.some((way: Schema) => 'adminToken' in way)
  return writeCurl({
    method,
    url: base + fillAddress(operation),
    headers: {
      ...(security.length > 0 && { Authorization: `Bearer ${token}` }),
      ...(guarded && isAdmin && { 'X-Momock-Admin-Token': 'YOUR_ADMIN_TOKEN' }),
      ...(body !== undefined && { 'Content-Type': 'application/json' })
    },
    body: body && JSON.stringify(body, null, 2)
  })
}
