import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import type { Account } from '../../src/domain/account.ts'
import { callbackHeader } from '../../src/security/callback-targets.ts'
import { isSameSecret, readBearer } from '../../src/lib/secrets.ts'
import type { RouteConfig } from '../http/context.ts'
import { AdminError, explainFailure, sendFailure } from './errors.ts'
import type { AdminParts } from './parts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Account that an admin call acts on. */
    account: Account
  }
}

/** Documents an admin call. */
export function adminCall (id: string, summary: string, description?: string): RouteConfig {
  return {
    documentation: { id, summary, tag: 'admin', ...(description !== undefined && { description }) }
  }
}

/**
 * Adds the rules of every admin call. The API token of an account selects the account; without a
 * token it is the default account.
 */
export function guardAdmin (app: FastifyInstance, parts: AdminParts): void {
  const { accounts, log, adminToken } = parts
  app.decorateRequest('account')
  app.addHook('onRequest', async (request) => {
    const { isOpen, link } = request.routeOptions.config ?? {}
    if (isOpen === true) {
      request.account = await findAccount(request, accounts).catch(() => accounts.default)
      return
    }
    const linked = link?.(request)
    if (linked !== undefined) {
      request.account = linked
      return
    }
    refuseCallback(request)
    checkAdminToken(request, adminToken)
    if (request.is404) return
    request.account = await findAccount(request, accounts)
    refuseSetAside(request)
  })
  app.setErrorHandler(async (error: FastifyError, request, reply) =>
    sendFailure(reply, await explainFailure(error, request, log))
  )
  app.setNotFoundHandler((request, reply) => refuseUnknownRoute(request, reply, parts))
}

/** Refuses callbacks: an admin call could create the next callback, without an end. */
function refuseCallback ({ headers }: FastifyRequest): void {
  if (!(callbackHeader in headers)) return
  throw new AdminError(
    'FORBIDDEN',
    'this callback came to an admin call',
    'set the callback URL to your application, or to a sink under /__admin/sink/'
  )
}

function checkAdminToken ({ headers }: FastifyRequest, adminToken: string | undefined): void {
  if (adminToken === undefined) return
  if (isSameSecret(String(headers['x-momock-admin-token'] ?? ''), adminToken)) return
  throw new AdminError(
    'UNAUTHORIZED',
    'the X-Momock-Admin-Token header is missing or wrong',
    'send the value of MOMOCK_ADMIN_TOKEN'
  )
}

/** Refuses changes of an account that is set aside, except those that replace all of it. */
function refuseSetAside ({ method, account, routeOptions: { config } }: FastifyRequest): void {
  const { setAside } = account
  if (setAside === undefined || config.repairs === true || /^(GET|HEAD)$/.test(method)) return
  throw new AdminError(
    'UNAVAILABLE',
    `this account is set aside, because it cannot be read: ${setAside}`,
    'POST /__admin/reset empties it, POST /__admin/snapshots/{name}/restore replaces it'
  )
}

function refuseUnknownRoute (
  request: FastifyRequest,
  reply: FastifyReply,
  { routeIndex, recorder }: AdminParts
): FastifyReply {
  const methods = routeIndex.methodsOf(request.url)
  recorder.countMiss(methods.length > 0 ? 405 : 404)
  if (methods.length > 0) {
    return sendFailure(
      reply.header('allow', methods.join(', ')),
      new AdminError(
        'METHOD_NOT_ALLOWED',
        `this path does not support ${request.method}`,
        `use ${methods.join(' or ')}`
      )
    )
  }
  return sendFailure(
    reply,
    new AdminError(
      'NOT_FOUND',
      routeIndex.hint(request.method, request.url),
      'GET /__admin/docs describes every call'
    )
  )
}

async function findAccount ({ headers }: FastifyRequest, accounts: Accounts): Promise<Account> {
  if (headers.authorization === undefined) return accounts.default
  const token = readBearer(headers.authorization)
  if (token === undefined) {
    throw new AdminError(
      'UNAUTHORIZED',
      'the Authorization header is not a bearer token',
      "send 'Authorization: Bearer TOKEN', or no such header for the default account"
    )
  }
  const caller = await accounts.findCaller(token)
  if (caller === undefined) {
    throw new AdminError(
      'UNAUTHORIZED',
      'this bearer token is unknown',
      'send no token for the default account, or ' +
        (accounts.opensSandboxes ? "one that begins with 'sandbox-'" : 'that of another account')
    )
  }
  return caller.account
}
