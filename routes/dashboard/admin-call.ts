import type { TypedApp } from '../http/typed-app.ts'

/** The dashboard is a client of the admin API: views and actions are admin calls. */

/** A call of the admin API. */
export interface AdminCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with its query. */
  path: string
  body?: object
}

/** Answer of an admin call. */
export interface AdminAnswer {
  status: number
  body: any
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
