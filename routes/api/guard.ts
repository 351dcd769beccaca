import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Accounts, Caller } from '../../src/accounts/registry.ts'
import type { SystemClock } from '../../src/lib/clock.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import { longestSandboxName, sandboxPrefix } from '../../src/accounts/settings-checks.ts'
import type { Ids } from '../../src/lib/ids.ts'
import type { Keys } from '../../src/security/keys.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { AdminError, sendFailure } from '../admin/errors.ts'
import { replyHandler, sendReply, type ApiHandler } from '../http/reply.ts'
import { bodyLimit, drainBody } from '../http/body.ts'
import type { RouteIndex } from '../http/route-index.ts'
import type { Recorder } from '../http/recorder.ts'
import { checkSignature, hasSignature } from '../http/signature.ts'

export interface ApiGuardParts {
  wire: Wire
  accounts: Accounts
  ids: Ids
  routeIndex: RouteIndex
  keys: Keys
  systemClock: SystemClock
  log: Logger
  recorder: Recorder
}

const nothing = Buffer.alloc(0)

/** One generation of the API: who may call it, and what goes wrong said in its words. */
export function guardApi (app: FastifyInstance, parts: ApiGuardParts): void {
  const { wire, accounts, keys, systemClock, log, recorder } = parts
  app.setErrorHandler(errorHandler(parts))
  const talkative = log.isLevelEnabled('debug')

  const lookAtSignature = (request: FastifyRequest): void => {
    if (request.caller.account.settings.signedRequestsOnly === true) {
      checkSignature(request, keys, systemClock, log)
    } else if (talkative && hasSignature(request)) {
      log.debug(
        { method: request.method, url: request.url },
        'the signature is ignored: this account does not have signedRequestsOnly, and then ' +
          'signature headers must not be sent'
      )
    }
  }

  // The token is looked at first, but who is refused is told so only after the body was read,
  // because the answer names the payment.
  app.addHook('onRoute', (route) => {
    const { permission, isOpen: open, signed } = route.config ?? {}
    const record = recorder.watchRoute(route, wire.generation)
    if (record !== undefined) {
      route.handler = replyHandler(route.handler as unknown as ApiHandler, record)
    }
    if (permission === undefined && open !== true) return
    const admit = (request: FastifyRequest, caller: Caller | Refused): void => {
      if (permission === undefined) {
        request.caller = caller instanceof Refused ? accounts.anonymousCaller : caller
      } else if (caller instanceof Refused) request.refusal = caller
      else {
        request.caller = caller
        if (!caller.allow.includes(permission)) {
          request.refusal = new Refused(
            'NOT_AUTHORISED',
            `this token may not ${permission} here; it may: ${caller.allow.join(', ') || 'nothing'}`
          )
        } else if (signed === true) lookAtSignature(request)
      }
    }
    route.onRequest = (request, _reply, done) => {
      request.received = systemClock.now()
      const caller = authenticateRequest(request, accounts)
      // Who opens an account is waited for: Fastify takes a promise in place of a call to done.
      if (caller instanceof Promise) return caller.then((opened) => admit(request, opened))
      admit(request, caller)
      done()
    }
  })
  app.addHook('preValidation', (request, _reply, done) => {
    // Where there was no body, nobody has looked at the signature yet.
    request.inspect?.(nothing)
    done(request.refusal)
  })
}

/** Says everything that goes wrong in the words of a generation. */
function errorHandler ({
  wire,
  ids,
  log,
  recorder
}: ApiGuardParts): (
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply
  ) => Promise<void> {
  const refuse = async (
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: Refusal
  ): Promise<void> => {
    const { operation = 'none', kind, record } = request.routeOptions.config
    const answer = wire.answers.refused(
      refusal,
      { operation, kind, id: kind && readPaymentId(request, kind.idField) },
      errorIds(request, ids)
    )
    if (request.is404) await recorder.recordMiss(request, answer)
    sendReply(reply, answer, record)
  }
  return async (error, request, reply) => {
    if (error.statusCode === 413) await drainBody(request)
    if (request.refusal !== undefined) return await refuse(request, reply, request.refusal)
    if (error instanceof Refused) return await refuse(request, reply, error)
    if (error.statusCode === 413) {
      return await refuse(request, reply, {
        code: 'TOO_LARGE',
        message: `the body is larger than ${bodyLimit} bytes`
      })
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return await refuse(request, reply, { code: 'UNREADABLE', message: error.message })
    }
    log.error(
      { err: error, method: request.method, url: request.url },
      'a request failed unexpectedly'
    )
    return await refuse(request, reply, {
      code: 'UNEXPECTED',
      message: 'something went wrong inside the mock; its log says what'
    })
  }
}

/** Who asks for what does not exist is told what is nearest to it, in the words of a generation. */
export function handleUnknownRoutes (app: FastifyInstance, parts: ApiGuardParts): void {
  const { wire, ids, routeIndex, recorder } = parts
  app.setErrorHandler(errorHandler(parts))
  app.setNotFoundHandler(async (request, reply) => {
    const refusal: Refusal = {
      code: 'NO_ROUTE',
      message: routeIndex.hint(request.method, request.url)
    }
    const answer = wire.answers.refused(refusal, { operation: 'none' }, errorIds(request, ids))
    await recorder.recordMiss(request, answer)
    sendReply(reply, answer)
  })
}

/**
 * What Fastify refuses before it knows the route, said in the words of the generation the path
 * belongs to.
 */
export function handleUnroutable (
  wires: readonly Wire[],
  ids: Ids,
  recorder: Recorder
): (error: Error, request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async (error, request, reply) => {
    if (/^\/__admin(\/|$)/.test(request.raw.url ?? '')) {
      recorder.countMiss(400)
      return sendFailure(
        reply,
        new AdminError('BAD_REQUEST', error.message, 'write a % in an address as %25')
      )
    }
    const wire =
      wires.find(({ prefix }) => prefix !== '' && request.raw.url?.startsWith(`${prefix}/`)) ??
      wires[0]
    const answer = wire.answers.refused(
      { code: 'UNREADABLE', message: error.message },
      { operation: 'none' },
      errorIds(request, ids)
    )
    await recorder.recordMiss(request, answer)
    sendReply(reply, answer)
  }
}

/** The series of error identifiers a request draws from: its account's, or that of nobody. */
export function errorIds (request: FastifyRequest, ids: Ids): () => string {
  return () => ids.error(request.caller?.account.name ?? '')
}

function authenticateRequest (
  { headers }: FastifyRequest,
  accounts: Accounts
): (ReturnType<Accounts['findCaller']> & {}) | Refused {
  const { authorization } = headers
  if (authorization === undefined) {
    return new Refused(
      'NOT_AUTHENTICATED',
      "the Authorization header is missing; send 'Authorization: Bearer <API_TOKEN>'"
    )
  }
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') {
    return new Refused('NOT_AUTHENTICATED', "the Authorization header must be 'Bearer <API_TOKEN>'")
  }
  return (
    accounts.findCaller(authorization.slice(7).trim()) ??
    new Refused(
      'NOT_AUTHENTICATED',
      "this token is not known; use the default account's token, or one of your own: " +
        `'${sandboxPrefix}' and 1 to ${longestSandboxName} characters`
    )
  )
}

/** The identifier a request carries, in its path or its body. */
function readPaymentId ({ params, body }: FastifyRequest, name: string): string | undefined {
  const id =
    (params as Record<string, unknown> | null)?.[name] ??
    (body as Record<string, unknown> | null | undefined)?.[name]
  return typeof id === 'string' ? id.slice(0, 36) : undefined
}
