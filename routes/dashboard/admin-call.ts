import { Type } from '../../src/lib/typebox.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { TypedApp } from '../http/typed-app.ts'

/** Fields that all errors of the admin API have. */
const errorValidator = createValidator(
  Type.Object({ error: Type.Object({ message: Type.String(), hint: Type.String() }) })
)

/** The dashboard is a client of the admin API: views and actions are admin calls. */

/** A call of the admin API. */
export interface AdminCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with its query. */
  path: string
  body?: object
}

/** Answer of an admin call. The body is JSON as the admin API documents it. */
export interface AdminAnswer {
  status: number
  body: unknown
}

/** Reads the message and the hint of a refused call. */
export function readError ({ status, body }: AdminAnswer): { message: string; hint: string } {
  return errorValidator.check(body) ? body.error : { message: `status ${status}`, hint: '' }
}

/** Tokens that the dashboard sends with its calls. */
export interface AdminTokens {
  /** Token of the account; undefined for the default account. */
  account: string | undefined
  admin: string | undefined
}

/** Makes an admin call inside the server. */
export async function callAdmin (
  app: TypedApp,
  { method, path, body }: AdminCall,
  { account, admin }: AdminTokens
): Promise<AdminAnswer> {
  const response = await app.inject({
    method,
    url: path,
    headers: {
      accept: 'application/json',
      ...(account !== undefined && { authorization: `Bearer ${account}` }),
      ...(admin !== undefined && { 'x-momock-admin-token': admin })
    },
    ...(body !== undefined && { payload: body })
  })
  return {
    status: response.statusCode,
    body: response.body === '' ? undefined : response.json()
  }
}

/** Writes an admin call as a curl command. The admin token is never shown. */
export function writeCurl (
  base: string,
  { method, path, body }: AdminCall,
  { account, admin }: AdminTokens
): string {
  return [
    `curl -s${method === 'GET' ? '' : ` -X ${method}`} ${quote(base + path)}`,
    ...(account === undefined ? [] : [`-H ${quote(`Authorization: Bearer ${account}`)}`]),
    ...(admin === undefined ? [] : ['-H "X-Momock-Admin-Token: $MOMOCK_ADMIN_TOKEN"']),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`])
  ].join(' \\\n  ')
}

/** Quotes a text for a shell, if it needs quotes. */
function quote (text: string): string {
  return /^[\w:/.=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
