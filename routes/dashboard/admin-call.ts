import type { FastifyInstance } from 'fastify'
import { writeCurl as formatCurl } from '../../src/lib/curl.ts'
import { Type } from '../../src/lib/typebox.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { readBody, sendRequest } from '../http/own-request.ts'

/** Fields that all errors of the admin API have. */
const errorValidator = createValidator(
  Type.Object({ error: Type.Object({ message: Type.String(), hint: Type.String() }) })
)

/** Fields of the refusals of the payments API, in v1 and v2. */
const failureFields = Type.Optional(
  Type.Object({
    failureMessage: Type.Optional(Type.String()),
    rejectionMessage: Type.Optional(Type.String())
  })
)
const refusalValidator = createValidator(
  Type.Object({
    status: Type.Optional(Type.Unknown()),
    errorMessage: Type.Optional(Type.String()),
    failureReason: failureFields,
    rejectionReason: failureFields
  })
)

/**
 * The dashboard is a client of the server: views are admin calls, and actions are admin calls or
 * requests of the merchant to the payments API.
 */

/** A call of the admin API, or of the payments API. */
export interface AdminCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path with its query. Outside of `/__admin` it is a path of the payments API. */
  path: string
  /** JSON, or a text that is sent as it is. */
  body?: object | string
  headers?: Record<string, string>
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

/** Returns why a call was refused; undefined if it succeeded. */
export function findProblem ({ path }: AdminCall, answer: AdminAnswer): string | undefined {
  const { status, body } = answer
  if (isAdminPath(path)) {
    const { message, hint } = readError(answer)
    return status < 300 ? undefined : `${message}: ${hint}`
  }
  if (typeof body === 'string') return body
  if (!refusalValidator.check(body)) return status < 300 ? undefined : `status ${status}`
  const { failureReason, rejectionReason, errorMessage } = body
  const message = failureReason?.failureMessage ?? rejectionReason?.rejectionMessage ?? errorMessage
  const isRefused = status >= 300 || body.status === 'REJECTED'
  return isRefused ? (message ?? `status ${status}`) : undefined
}

/** Tokens that the dashboard sends with its calls. */
export interface AdminTokens {
  /** Token of the account for admin calls; undefined for the default account. */
  account: string | undefined
  /** Token of the account for the payments API. */
  merchant: string | undefined
  admin: string | undefined
}

/** Server that the dashboard calls. */
export interface CalledServer {
  api: Pick<FastifyInstance, 'inject'>
  links: { listening: string }
}

/**
 * Makes a call. An admin call is made inside the server. A request to the payments API is sent by
 * HTTP, because a scenario can end the connection without an answer.
 */
export async function callAdmin (
  { api, links }: CalledServer,
  call: AdminCall,
  tokens: AdminTokens
): Promise<AdminAnswer> {
  const { method, path, body } = call
  const { account, admin } = tokensFor(call, tokens)
  const headers = {
    accept: 'application/json',
    ...(typeof body === 'object' && { 'content-type': 'application/json' }),
    ...call.headers,
    ...(account !== undefined && { authorization: `Bearer ${account}` }),
    ...(admin !== undefined && { 'x-momock-admin-token': admin })
  }
  const payload = typeof body === 'object' ? JSON.stringify(body) : body
  if (!isAdminPath(path)) return await sendRequest(links.listening, method, path, headers, payload)
  const response = await api.inject({ method, url: path, headers, payload })
  return { status: response.statusCode, body: readBody(response.body) }
}

/** Writes a call as a curl command. The admin token is never shown. */
export function writeCurl (base: string, call: AdminCall, tokens: AdminTokens): string {
  const { method, path, body, headers = {} } = call
  const { account, admin } = tokensFor(call, tokens)
  return formatCurl(
    {
      method,
      url: base + path,
      headers: {
        ...(account !== undefined && { Authorization: `Bearer ${account}` }),
        ...headers,
        ...(typeof body === 'object' && { 'Content-Type': 'application/json' })
      },
      body: typeof body === 'object' ? JSON.stringify(body) : body
    },
    admin === undefined ? {} : { variables: { 'X-Momock-Admin-Token': 'MOMOCK_ADMIN_TOKEN' } }
  )
}

/** Tokens of one call: the payments API needs that of the merchant, and never sees the admin's. */
function tokensFor (
  { path }: AdminCall,
  { account, merchant, admin }: AdminTokens
): Pick<AdminTokens, 'account' | 'admin'> {
  return isAdminPath(path) ? { account, admin } : { account: merchant, admin: undefined }
}

function isAdminPath (path: string): boolean {
  return path.startsWith('/__admin/')
}
