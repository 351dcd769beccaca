import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Type } from '../../src/lib/typebox.ts'
import { createValidator } from '../../src/lib/validator.ts'
import type { Account } from '../../src/domain/account.ts'
import type { Kind } from '../../src/domain/kinds.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import type { Ids } from '../../src/lib/ids.ts'
import type { Payments } from '../../src/services/payments.ts'
import { Identifier, PathIdentifier } from '../../src/wire/fields.ts'
import type { Codec, Initiation, Wire } from '../../src/wire/wire.ts'
import type { Tag } from '../../src/openapi/tags.ts'
import type { Documentation } from '../http/context.ts'
import { withBehaviour, behaviourOf, replyOk, type ApiReply } from '../http/reply.ts'
import { errorIds } from './guard.ts'
import { toRefusal } from '../http/schemas.ts'

/** At most this many payments in one bulk request. */
export const bulkLimit = 20

/** Every kind a generation can spell, with every operation on it. */
export function paymentRoutes (
  app: FastifyInstance,
  wire: Wire,
  payments: Payments,
  ids: Ids
): void {
  for (const kind of Object.values(kinds)) {
    const codec = wire.codecs[kind.name]
    if (codec === undefined) continue
    initiateRoute(app, wire, kind, codec, payments, ids)
    findRoute(app, wire, kind, codec, payments)
    if (codec.actions.bulk) bulkRoute(app, wire, kind, codec, payments, ids)
    if (codec.actions.resend) {
      actionRoute(
        app,
        wire,
        kind,
        'resend-callback',
        documentOperation(
          kind,
          'resend#Callback',
          'Send the callback of a # again',
          'Only once it is in a final state.'
        ),
        wire.resendBy,
        (account, id) => payments.actions.resend(account, kind, id)
      )
    }
    if (codec.actions.cancel) {
      actionRoute(
        app,
        wire,
        kind,
        'fail-enqueued',
        documentOperation(
          kind,
          'cancelEnqueued#',
          'Cancel a # that is enqueued',
          'It becomes FAILED with MANUALLY_CANCELLED.'
        ),
        'path',
        (account, id) => payments.actions.cancel(account, kind, id)
      )
    }
  }
}

function initiateRoute (
  app: FastifyInstance,
  wire: Wire,
  kind: Kind,
  codec: Codec,
  payments: Payments,
  ids: Ids
): void {
  app.post(
    `/${kind.path}`,
    {
      config: {
        operation: 'initiate',
        kind,
        permission: 'initiate',
        signed: kind !== kinds.checkout,
        documentation: documentOperation(
          kind,
          'initiate#',
          'Initiate a #',
          'The answer is 200 also when it is REJECTED: look at `status`. An identifier that ' +
            'was accepted before is answered with DUPLICATE_IGNORED.'
        )
      },
      schema: { body: codec.request, response: { 200: wire.answers.schemas.initiation(kind) } }
    },
    async (request): Promise<ApiReply> => {
      const paymentRequest = codec.read(request.body)
      const initiation = await payments.initiate(
        request.caller.account,
        wire.generation,
        kind,
        paymentRequest,
        readScenarioHeader(request)
      )
      return withBehaviour(
        wire.answers.initiated(kind, paymentRequest.id, initiation, errorIds(request, ids)),
        behaviourOf(initiation)
      )
    }
  )
}

function findRoute (
  app: FastifyInstance,
  wire: Wire,
  kind: Kind,
  codec: Codec,
  payments: Payments
): void {
  app.get(
    `/${kind.path}/:${kind.idField}`,
    {
      config: {
        operation: 'find',
        kind,
        permission: 'read',
        documentation: documentOperation(kind, 'find#', 'Check the status of a #')
      },
      schema: {
        params: Type.Object({ [kind.idField]: PathIdentifier }),
        response: { 200: wire.answers.schemas.lookup(kind, codec.record) }
      }
    },
    async (request): Promise<ApiReply> => {
      const view = await payments.find(request.caller.account, kind, PathId(request, kind), false)
      return wire.answers.found(view && codec.write(view))
    }
  )
}

/**
 * Each element is judged on its own and answered in its place; one that is wrong does not hold up
 * the others.
 */
function bulkRoute (
  app: FastifyInstance,
  wire: Wire,
  kind: Kind,
  codec: Codec,
  payments: Payments,
  ids: Ids
): void {
  const element = createValidator(codec.request)
  const limits = {
    minItems: 1,
    maxItems: bulkLimit,
    description: `a list of 1 to ${bulkLimit} ${kind.path}`
  }
  app.post(
    `/${kind.path}/bulk`,
    {
      config: {
        operation: 'initiate',
        kind,
        permission: 'initiate',
        signed: true,
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
      }
    },
    async (request): Promise<ApiReply> => {
      const unfit = await payments.checkScenario(
        request.caller.account,
        kind,
        readScenarioHeader(request)
      )
      if (unfit !== undefined) {
        return wire.answers.refused(unfit, { operation: 'initiate', kind }, errorIds(request, ids))
      }
      const bodies = request.body as unknown[]
      const initiations = await Promise.all(bodies.map((body) => initiate(body, request)))
      const error = findError(initiations)
      if (error !== undefined) {
        return withBehaviour(
          wire.answers.refused(error, { operation: 'initiate', kind }, errorIds(request, ids)),
          error.behaviour
        )
      }
      const answer = replyOk(
        initiations.map((initiation, n) =>
          wire.answers.element(kind, idOf(bodies[n], kind), initiation)
        )
      )
      // There is one answer: the first element for which a scenario wants it otherwise decides.
      return withBehaviour(
        answer,
        initiations.map(behaviourOf).find((behaviour) => behaviour !== undefined)
      )
    }
  )

  async function initiate (body: unknown, request: FastifyRequest): Promise<Initiation> {
    const problem = element.first(body)
    // An element that is no object cannot be read at all.
    if (problem !== undefined) {
      return {
        outcome: 'REFUSED',
        refusal:
          problem.path === ''
            ? { code: 'UNREADABLE', message: problem.message }
            : toRefusal(problem, body)
      }
    }
    try {
      return await payments.initiate(
        request.caller.account,
        wire.generation,
        kind,
        codec.read(body),
        readScenarioHeader(request)
      )
    } catch (error) {
      if (error instanceof Refused) return { outcome: 'REFUSED', refusal: error }
      throw error
    }
  }
}

/**
 * The error that a scenario wants for one of many: there is one answer, so it is that of all, and
 * the others stand.
 */
function findError (initiations: readonly Initiation[]): Refusal | undefined {
  for (const initiation of initiations) {
    if (initiation.outcome === 'REFUSED' && initiation.refusal.code === 'SCRIPTED_ERROR') {
      return initiation.refusal
    }
  }
}

/**
 * Something done to one payment. The body, where the identifier is in the path, may hold anything
 * or nothing.
 */
function actionRoute (
  app: FastifyInstance,
  wire: Wire,
  kind: Kind,
  name: string,
  documentation: Documentation,
  by: Wire['resendBy'],
  act: (account: Account, id: string) => Promise<Refusal | undefined>
): void {
  const inPath = by === 'path'
  app.post(
    `/${kind.path}/${name}${inPath ? `/:${kind.idField}` : ''}`,
    {
      config: { operation: 'find', kind, permission: 'act', documentation },
      schema: {
        ...(inPath
          ? { params: Type.Object({ [kind.idField]: PathIdentifier }) }
          : { body: Type.Object({ [kind.idField]: Identifier }) }),
        response: { 200: wire.answers.schemas.action(kind) }
      }
    },
    async (request): Promise<ApiReply> => {
      const id = inPath
        ? PathId(request, kind)
        : (request.body as Record<string, string>)[kind.idField]
      return wire.answers.acted(kind, id, await act(request.caller.account, id))
    }
  )
}

/** The scenario a request wants for what it initiates. */
export function readScenarioHeader ({ headers }: FastifyRequest): string | undefined {
  const name = headers['x-momock-scenario']
  return typeof name === 'string' && name !== '' ? name : undefined
}

/** What the reference says of an operation on a kind, whose name stands for each #. */
function documentOperation (
  kind: Kind,
  id: string,
  summary: string,
  description?: string
): Documentation {
  const noun = kind.name.replace(/[A-Z]/, (outgoing) => ` ${outgoing.toLowerCase()}`)
  return {
    id: id.replace('#', kind.name[0].toUpperCase() + kind.name.slice(1)),
    summary: summary.replace('#', noun),
    tag: kind.path as Tag,
    description
  }
}

function idOf (body: unknown, kind: Kind): string {
  const id = (body as Record<string, unknown> | null)?.[kind.idField]
  return typeof id === 'string' ? id.slice(0, 36) : ''
}

function PathId ({ params }: FastifyRequest, kind: Kind): string {
  return (params as Record<string, string>)[kind.idField]
}
