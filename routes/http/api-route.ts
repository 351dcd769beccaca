import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { TSchema } from '@sinclair/typebox'
import type {
  ContextConfigDefault,
  FastifyInstance,
  FastifyRequest,
  onRequestHookHandler,
  onSendHookHandler,
  preValidationHookHandler,
  RawRequestDefaultExpression,
  RawServerDefault
} from 'fastify'
import type { Logger } from 'pino'
import type { Accounts, Caller } from '../../src/accounts/registry.ts'
import { longestSandboxName, sandboxPrefix } from '../../src/accounts/settings-checks.ts'
import type { SystemClock } from '../../src/lib/clock.ts'
import { Refused } from '../../src/domain/refusal.ts'
import type { Ids } from '../../src/lib/ids.ts'
import type { Keys } from '../../src/security/keys.ts'
import { readBearer } from '../../src/lib/secrets.ts'
import type { Explanation } from '../../src/security/explanation.ts'
import type { Wire } from '../../src/wire/wire.ts'
import type { Documentation, RouteConfig } from './context.ts'
import type { RecordAnswer, Recorder } from './recorder.ts'
import { jsonType, sendWithBehaviour, type ApiReply } from './reply.ts'
import { checkSignature } from './signature.ts'

const empty = Buffer.alloc(0)

/** Parts that the routes of the API need. */
export interface ApiGuardParts {
  accounts: Accounts
  ids: Ids
  keys: Keys
  systemClock: SystemClock
  log: Logger
  recorder: Recorder
}

/** One version of the API: its Fastify context, its wire and the parts of its routes. */
export interface ApiScope extends ApiGuardParts {
  app: FastifyInstance
  wire: Wire
  /** All versions. */
  wires: readonly Wire[]
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Caller of the request, once the token is known. */
    caller: Caller | undefined
    /** Reason to refuse the request after its body was read: the answer names the payment. */
    refusal: Refused | undefined
    /** Verifies the signature of a body, once; only where the account wants signed requests. */
    verifySignature: ((body: Buffer) => void) | undefined
    /** Returns the headers that sign an answer; only where the request was signed well. */
    signResponse: ((status: number, text: string) => Promise<Record<string, string>>) | undefined
    /** Result of the signature check. */
    explanation: Explanation | undefined
    /** Time of arrival on the system clock. */
    received: number | undefined
    /** Body of the answer of an API route, before it is serialised. */
    answer: object | undefined
  }
}

/** Adds the properties that routes of the API set, to the requests of all routes. */
export function decorateRequests (http: FastifyInstance): void {
  for (const name of [
    'caller',
    'refusal',
    'verifySignature',
    'signResponse',
    'explanation',
    'received',
    'answer'
  ]) {
    http.decorateRequest(name)
  }
}

/** Schemas of a route: its input, and its answers by status. */
export interface ApiSchema {
  body?: TSchema
  querystring?: TSchema
  params?: TSchema
  response: Record<number, TSchema>
}

/** Answers are typed by the wires, so Fastify checks no more than this. */
interface AnyReply {
  Reply: object | string
}

/** Request of a route, typed by its schemas. Its caller is known. */
export type ApiRequest<S extends ApiSchema> = FastifyRequest<
  AnyReply,
  RawServerDefault,
  RawRequestDefaultExpression,
  S,
  TypeBoxTypeProvider
> & { caller: Caller }

/** Configuration of a route of the API. */
export interface ApiRouteConfig extends RouteConfig {
  documentation: Documentation
}

/** A route of the API. */
export interface ApiRoute<S extends ApiSchema> {
  method: 'GET' | 'POST'
  url: string
  config: ApiRouteConfig
  schema: S
  handler: (request: ApiRequest<S>) => Promise<ApiReply>
}

/**
 * Adds a route of the API. The token is checked before the handler runs; the answer is signed where
 * the request was, counted and written to the request journal.
 */
export function apiRoute<const S extends ApiSchema> (api: ApiScope, route: ApiRoute<S>): void {
  const { config, handler } = route
  const record = api.recorder.recordRoute(config, api.wire.version)
  api.app.withTypeProvider<TypeBoxTypeProvider>().route<AnyReply, ContextConfigDefault, S>({
    method: route.method,
    url: route.url,
    config,
    schema: route.schema,
    onRequest: [admitCaller(api, config)],
    preValidation: [refuseRequest],
    onSend: [signAndRecord(record)],
    handler: async (request, reply) => {
      const { status, body, behaviour, isOrdered } = await handler(request as ApiRequest<S>)
      // An own serializer takes the type that Fastify gives to JSON, too.
      if (isOrdered === true) reply.type(jsonType).serializer(JSON.stringify)
      reply.code(status)
      request.answer = body
      return behaviour === undefined
        ? body
        : await sendWithBehaviour(behaviour, reply, body, record)
    }
  })
}

/**
 * Hook that finds the caller of a request. A refused request is answered after its body was read,
 * because the answer names the payment.
 */
function admitCaller (api: ApiScope, config: ApiRouteConfig): onRequestHookHandler {
  const { accounts, systemClock } = api
  return (request, _reply, done) => {
    request.received = systemClock.now()
    const caller = authenticateRequest(request, accounts)
    if (caller instanceof Promise) {
      // The account has to be opened first.
      caller.then((opened) => admit(request, api, opened, config)).then(() => done(), done)
    } else {
      admit(request, api, caller, config)
      done()
    }
  }
}

/** Sets the caller of a request, or the reason to refuse it. */
function admit (
  request: FastifyRequest,
  api: ApiScope,
  caller: Caller | Refused,
  { permission, signed }: RouteConfig
): void {
  if (permission === undefined) {
    request.caller = caller instanceof Refused ? api.accounts.anonymousCaller : caller
  } else if (caller instanceof Refused) request.refusal = caller
  else {
    request.caller = caller
    const { setAside } = caller.account
    if (setAside !== undefined) request.refusal = accountSetAside(setAside)
    else if (!caller.allow.includes(permission)) request.refusal = notAllowed(permission, caller)
    else if (signed === true) handleSignature(request, caller, api)
  }
}

/** Hook that refuses a request, after its body was read. */
const refuseRequest: preValidationHookHandler = (request, _reply, done) => {
  // Without a body, no parser has verified the signature.
  request.verifySignature?.(empty)
  done(request.refusal)
}

/** Hook that signs the answer to a signed request, then records the answer. */
function signAndRecord (record: RecordAnswer): onSendHookHandler {
  return (request, reply, payload, done) => {
    if (typeof payload !== 'string') return done()
    record(request, reply.statusCode, payload)
    if (request.signResponse === undefined) return done()
    request
      .signResponse(reply.statusCode, payload)
      .then((headers) => {
        reply.removeHeader('content-type').headers(headers)
      })
      .then(() => done(), done)
  }
}

/** Scenario that a request names in its X-Momock-Scenario header. */
export function readScenarioHeader ({
  headers
}: Pick<FastifyRequest, 'headers'>): string | undefined {
  const name = headers['x-momock-scenario']
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** Source of the identifiers of a request's errors. */
export function errorIds (
  { method, url, text = '', caller }: ErrorSource,
  ids: Ids
): (message: string) => string {
  return (message) => ids.error(caller?.account.name ?? '', method, url, text, message)
}

type ErrorSource = Pick<FastifyRequest, 'caller' | 'method' | 'url' | 'text'>

function authenticateRequest (
  { headers: { authorization } }: FastifyRequest,
  accounts: Accounts
): Caller | Promise<Caller> | Refused {
  const token = readBearer(authorization)
  const caller = token === undefined ? undefined : accounts.findCaller(token)
  if (caller !== undefined) return caller
  const isPublic = accounts.default.settings.authErrors === 'public'
  if (authorization === undefined) {
    return new Refused(
      isPublic ? 'TOKEN_MISSING' : 'NOT_AUTHENTICATED',
      "the Authorization header is missing; send 'Authorization: Bearer <API_TOKEN>'"
    )
  }
  return new Refused(
    isPublic ? 'TOKEN_UNKNOWN' : 'NOT_AUTHENTICATED',
    token === undefined
      ? "the Authorization header must be 'Bearer <API_TOKEN>'"
      : "this token is not known; use the default account's token" +
        (accounts.opensSandboxes
          ? `, or one of your own: '${sandboxPrefix}' and 1 to ${longestSandboxName} characters`
          : ', or that of another account')
  )
}

function accountSetAside (reason: string): Refused {
  return new Refused(
    'UNAVAILABLE',
    `this account is set aside, because it cannot be read: ${reason}; POST /__admin/reset with ` +
      'its token empties it'
  )
}

function notAllowed (permission: string, { allow }: Caller): Refused {
  return new Refused(
    'NOT_AUTHORISED',
    `this token may not ${permission} here; it may: ${allow.join(', ') || 'nothing'}`
  )
}

/** Has the signature verified, if the account takes signed requests only. */
function handleSignature (
  request: FastifyRequest,
  { account }: Caller,
  { keys, systemClock, log }: ApiScope
): void {
  if (account.settings.signedRequestsOnly === true) {
    checkSignature(request, account, keys, systemClock, log)
  } else if (hasSignature(request) && log.isLevelEnabled('debug')) {
    log.debug(
      { method: request.method, url: request.url },
      'the signature is ignored: this account does not have signedRequestsOnly, and then ' +
        'signature headers must not be sent'
    )
  }
}

/** Tells whether a request has signature headers. */
function hasSignature ({ headers }: FastifyRequest): boolean {
  return headers.signature !== undefined || headers['signature-input'] !== undefined
}
