import { createHash, timingSafeEqual } from 'node:crypto'
import type { TProperties, TSchema } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Accounts } from '../../src/accounts/registry.ts'
import { findNearest } from '../../src/lib/validator.ts'
import type { Account } from '../../src/domain/account.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { bodyLimit } from '../http/body.ts'
import type { RouteConfig } from '../http/context.ts'
import type { RouteIndex } from '../http/route-index.ts'
import type { Recorder } from '../http/recorder.ts'
import type { RequestPart } from '../http/hints.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The account an admin call acts on. */
    account: Account
  }
}

const statuses = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  TIMEOUT: 408,
  CONFLICT: 409,
  TOO_LARGE: 413,
  INTERNAL_ERROR: 500
} as const

/** How an admin call says that it cannot be done; some calls have more to say. */
export function adminFailure<T extends TProperties> (more: T) {
  return Type.Object(
    {
      error: Type.Object(
        {
          code: Type.Union(Object.keys(statuses).map((code) => Type.Literal(code))),
          message: Type.String(),
          hint: Type.String({ description: 'what to do about it' }),
          ...more
        },
        { additionalProperties: false }
      )
    },
    { additionalProperties: false, description: 'Why it cannot be done, and what to do about it.' }
  )
}

export const AdminFailure = adminFailure({})

/** How any admin call can be refused. */
export const adminRefusals = Object.fromEntries(
  Object.values(statuses).map((status) => [status, AdminFailure])
)

/** What the reference says of an admin call. */
export function adminCall (id: string, summary: string, description?: string): RouteConfig {
  return {
    documentation: { id, summary, tag: 'admin', ...(description !== undefined && { description }) }
  }
}

/**
 * What an admin call is told when it cannot be done: a code, what is wrong, and what to do about
 * it.
 */
export class AdminError extends Error {
  readonly reason: keyof typeof statuses
  readonly hint: string
  /** What else the answer says, where its schema has it. */
  readonly more: object

  constructor (reason: keyof typeof statuses, message: string, hint: string, more: object = {}) {
    super(message)
    this.name = 'AdminError'
    this.reason = reason
    this.hint = hint
    this.more = more
  }
}

export interface AdminParts {
  accounts: Accounts
  routeIndex: RouteIndex
  log: Logger
  adminToken: string | undefined
  recorder: Recorder
}

/**
 * The rules of every admin call: the token you pay with is the token you steer with; without one it
 * is the default account.
 */
export function guardAdmin (
  app: FastifyInstance,
  { accounts, routeIndex, log, adminToken, recorder }: AdminParts
): void {
  app.addHook('onRequest', async (request) => {
    const { isOpen: open, link } = request.routeOptions.config ?? {}
    if (open === true) {
      request.account = await findAccount(request, accounts).catch(() => accounts.default)
      return
    }
    const linked = link?.(request)
    if (linked !== undefined) {
      request.account = linked
      return
    }
    if (
      adminToken !== undefined &&
      !isSameText(String(request.headers['x-momock-admin-token'] ?? ''), adminToken)
    ) {
      throw new AdminError(
        'UNAUTHORIZED',
        'the X-Momock-Admin-Token header is missing or wrong',
        'send the token that MOMOCK_ADMIN_TOKEN was set to'
      )
    }
    if (!request.is404) request.account = await findAccount(request, accounts)
  })
  app.setErrorHandler(async (error: FastifyError, request, reply) =>
    sendFailure(reply, await explainFailure(error, request, log))
  )
  app.setNotFoundHandler((request, reply) => {
    const methods = routeIndex.methodsOf(request.url)
    recorder.countMiss(methods.length > 0 ? 405 : 404)
    if (methods.length > 0) {
      return sendFailure(
        reply.header('allow', methods.join(', ')),
        new AdminError(
          'METHOD_NOT_ALLOWED',
          `${request.method} is not possible here`,
          `use ${methods.join(' or ')}`
        )
      )
    }
    return sendFailure(
      reply,
      new AdminError(
        'NOT_FOUND',
        routeIndex.hint(request.method, request.url),
        'GET /__admin/docs shows every call there is'
      )
    )
  })
}

/** What an admin call is told of an error; one that nobody expected is logged. */
export async function explainFailure (
  error: FastifyError,
  request: FastifyRequest,
  log: Logger
): Promise<AdminError> {
  if (error instanceof AdminError) return error
  if (error.statusCode === 413) {
    return new AdminError(
      'TOO_LARGE',
      `the body is larger than ${bodyLimit} bytes`,
      'send less of it, in several calls'
    )
  }
  if (error instanceof Refused) {
    return new AdminError(
      error.code === 'NOT_AUTHENTICATED' ? 'UNAUTHORIZED' : 'BAD_REQUEST',
      error.message,
      await hintFor(error, request)
    )
  }
  if (error.statusCode !== undefined && error.statusCode < 500) {
    return new AdminError('BAD_REQUEST', error.message, await hintFor(error, request))
  }
  log.error(
    { err: error, method: request.method, url: request.url },
    'an admin call failed unexpectedly'
  )
  return new AdminError(
    'INTERNAL_ERROR',
    'something went wrong inside the mock',
    'its log says what'
  )
}

/**
 * What somebody probably meant who named something that there is not; or where to look, or what
 * there is.
 */
export function suggestName (
  name: string,
  candidates: readonly string[],
  otherwise = `use ${candidates.join(' or ')}`
): string {
  const near = findNearest(name, candidates)
  return near === undefined ? otherwise : `did you mean ${near}?`
}

/**
 * What to do about a request that was refused before its route saw it: what its schema says, or an
 * example of what it takes.
 */
async function hintFor (
  { validationContext: place }: Partial<FastifyError>,
  { routeOptions: { schema, config }, body, query, params, headers }: FastifyRequest
): Promise<string> {
  const { hintFor: advise, exampleFor: exampleOf } = await import('../http/hints.ts')
  const { documentation } = config
  const wanted =
    (typeof documentation === 'object' ? documentation.body : undefined) ?? schema?.body
  const advice =
    place === undefined
      ? undefined
      : advise(
        schema?.[place as RequestPart] as TSchema,
        { body, querystring: query, params, headers }[place],
        place as RequestPart
      )
  const example = wanted === undefined ? undefined : exampleOf(wanted as TSchema)
  return (
    advice ??
    (example === undefined
      ? 'GET /__admin/docs shows what it takes'
      : `send JSON such as ${example}, with Content-Type: application/json`)
  )
}

async function findAccount ({ headers }: FastifyRequest, accounts: Accounts): Promise<Account> {
  if (headers.authorization === undefined) return accounts.default
  const [, token] = /^bearer\s+(\S+)$/i.exec(headers.authorization) ?? []
  if (token === undefined) {
    throw new AdminError(
      'UNAUTHORIZED',
      'the Authorization header is not a bearer token',
      "send 'Authorization: Bearer TOKEN', or leave the header out for the default account"
    )
  }
  const caller = await accounts.findCaller(token)
  if (caller === undefined) {
    throw new AdminError(
      'UNAUTHORIZED',
      'this bearer token is not known',
      "leave it out for the default account, or use one that begins with 'sandbox-'"
    )
  }
  return caller.account
}

/** Compared in constant time, so that nobody can find the token by measuring. */
function isSameText (given: string, wanted: string): boolean {
  return timingSafeEqual(hashText(given), hashText(wanted))
}

/** Of one length, whatever the text is. */
function hashText (text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

export function statusOf (reason: AdminError['reason']): number {
  return statuses[reason]
}

/** Says so. */
export function sendFailure (
  reply: FastifyReply,
  { reason, message, hint, more }: AdminError
): FastifyReply {
  return reply.code(statusOf(reason)).send({ error: { code: reason, message, hint, ...more } })
}
