import { Type } from '../../src/lib/typebox.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { Kind } from '../../src/domain/kinds.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import type { Initiation } from '../../src/ports/ledger.ts'
import {
  apiRoute,
  errorIds,
  readScenarioHeader,
  type ApiRequest,
  type ApiSchema,
  type ApiScope
} from '../http/api-route.ts'
import { replyOk } from '../http/reply.ts'
import { toRefusal } from '../http/schemas.ts'
import { cancelRoute, resendRoute } from './actions.ts'
import { readField } from './guard.ts'
import { documentOperation, orderedStatuses, type KindScope } from './kind-scope.ts'
import { statusCheckRoute } from './status-check.ts'

/** Most payments in one bulk request. */
export const bulkLimit = 20

/** Adds the routes of every kind of payment that a version has. */
export function paymentRoutes (
  api: ApiScope,
  { payments, statusChecks }: Pick<KindScope, 'payments' | 'statusChecks'>
): void {
  for (const kind of Object.values(kinds)) {
    const codec = api.wire.codecs[kind.name]
    if (codec === undefined) continue
    const scope = { api, kind, codec, payments, statusChecks }
    initiateRoute(scope)
    statusCheckRoute(scope)
    if (codec.actions.bulk) bulkRoute(scope)
    if (codec.actions.resend) resendRoute(scope)
    if (codec.actions.cancel) cancelRoute(scope)
  }
}

function initiateRoute ({ api, kind, codec, payments }: KindScope): void {
  const { wire, ids } = api
  apiRoute(api, {
    method: 'POST',
    url: `/${kind.path}`,
    config: {
      operation: 'initiate',
      kind,
      permission: 'initiate',
      signed: kind !== kinds.checkout,
      errors: kind.money !== 'none' ? orderedStatuses : [],
      documentation: documentOperation(
        kind,
        'initiate#',
        'Initiate a #',
        'The answer is 200 also when it is REJECTED: look at `status`. An identifier that ' +
          'was accepted before is answered with DUPLICATE_IGNORED.'
      )
    },
    schema: { body: codec.request, response: { 200: wire.answers.schemas.initiation(kind) } },
    handler: async (request) => {
      const scenario = readScenarioHeader(request)
      const paymentRequest = codec.read(request.body)
      const initiation = await payments.initiate(
        request.caller.account,
        wire.version,
        kind,
        paymentRequest,
        scenario
      )
      const errorId = (message: string): string => errorIds(request, ids)(message)
      const answer = wire.answers.initiated(kind, paymentRequest.id, initiation, errorId)
      return { ...answer, behaviour: initiation.behaviour }
    }
  })
}

/** Adds the route of bulk requests. Each element is decided on its own. */
function bulkRoute (scope: KindScope): void {
  const { api, kind, codec, payments } = scope
  const { wire, ids } = api
  const initiateElement = elementInitiator(scope)
  const limits = {
    minItems: 1,
    maxItems: bulkLimit,
    description: `a list of 1 to ${bulkLimit} ${kind.path}`
  }
  apiRoute(api, {
    method: 'POST',
    url: `/${kind.path}/bulk`,
    config: {
      operation: 'initiate',
      kind,
      permission: 'initiate',
      signed: true,
      errors: orderedStatuses,
      documentation: {
        ...documentOperation(
          kind,
          'initiate#s',
          'Initiate many #s at once',
          'Each is judged on its own and answered in its place.'
        ),
        body: Type.Array(codec.request, limits)
      }
    },
    schema: {
      body: Type.Array(Type.Unknown(), limits),
      response: { 200: Type.Array(wire.answers.schemas.initiation(kind, 'many')) }
    },
    handler: async (request) => {
      const { caller, body: elements } = request
      const refuse = (refusal: Refusal) =>
        wire.answers.refused(refusal, { operation: 'initiate', kind }, errorIds(request, ids))
      const unfit = await payments.checkScenario(caller.account, kind, readScenarioHeader(request))
      if (unfit !== undefined) return refuse(unfit)
      const initiations = await Promise.all(
        elements.map((element) => initiateElement(element, request))
      )
      const error = findScriptedError(initiations)
      if (error !== undefined) return { ...refuse(error), behaviour: error.behaviour }
      const answers = initiations.map((initiation, n) =>
        wire.answers.element(kind, readElementId(elements[n], kind), initiation)
      )
      // One answer has one behaviour: that of the first element that wants one.
      const { behaviour } = initiations.find(({ behaviour }) => behaviour !== undefined) ?? {}
      return { ...replyOk(answers), behaviour }
    }
  })
}

/** Returns the function that initiates one element of a bulk request. */
function elementInitiator ({ api: { wire }, kind, codec, payments }: KindScope) {
  const validator = createValidator(codec.request)
  return async (
    element: unknown,
    request: Pick<ApiRequest<ApiSchema>, 'caller' | 'headers'>
  ): Promise<Initiation> => {
    const problem = validator.first(element)
    if (problem !== undefined) {
      // The path is empty if the element is no object.
      const refusal: Refusal =
        problem.path === ''
          ? { code: 'UNREADABLE', message: problem.message }
          : toRefusal(problem, element)
      return { outcome: 'REFUSED', refusal }
    }
    try {
      return await payments.initiate(
        request.caller.account,
        wire.version,
        kind,
        codec.read(element),
        readScenarioHeader(request)
      )
    } catch (error) {
      if (error instanceof Refused) return { outcome: 'REFUSED', refusal: error }
      throw error
    }
  }
}

/** First HTTP error that a scenario wants for an element: it becomes the answer of the request. */
function findScriptedError (initiations: readonly Initiation[]): Refusal | undefined {
  for (const initiation of initiations) {
    if (initiation.outcome === 'REFUSED' && initiation.refusal.code === 'SCRIPTED_ERROR') {
      return initiation.refusal
    }
  }
}

function readElementId (element: unknown, kind: Kind): string {
  const id = readField(element, kind.idField)
  return typeof id === 'string' ? id.slice(0, 36) : ''
}
