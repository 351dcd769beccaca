import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { nearest } from '../../src/check.ts'
import { kinds, type KindName } from '../../src/domain/kinds.ts'
import { historyAt, statuses } from '../../src/domain/payment.ts'
import type { Payments } from '../../src/payments.ts'
import { closed, DateTime, FailureReason, PathIdentifier, word } from '../../src/wire/fields.ts'
import type { Timekeeper } from '../../simulator/timekeeper.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { admin, AdminError } from './guard.ts'

const names = Object.keys(kinds) as KindName[]

const Record = Type.Object({
  kind: word(...names),
  id: Type.String(),
  generation: word('v1', 'v2'),
  status: word(...statuses),
  scenario: Type.String({ description: 'what was chosen for it' }),
  why: Type.String({ description: 'why that was chosen' }),
  history: Type.Array(Type.Object({ at: DateTime, status: word(...statuses), cause: Type.String(), failureReason: Type.Optional(FailureReason) }, closed)),
  record: Type.Object({}, { additionalProperties: true, description: 'as a status check of its generation shows it' })
}, closed)

/** A payment as the tester sees it: what was chosen for it, why, and what has happened to it so far. */
export function paymentRecords (app: FastifyInstance, payments: Payments, timekeeper: Timekeeper, wires: readonly Wire[]): void {
  app.get('/payments/:kind/:id', {
    config: admin('getPayment', 'A payment with its history, and the scenario that was chosen for it'),
    schema: {
      params: Type.Object({
        kind: Type.String({ description: `one of ${names.join(', ')}`, examples: ['deposit'] }),
        // That of the example deposit, so that this example finds it.
        id: Type.String({ ...PathIdentifier, examples: ['0b5cbd82-5299-43ea-a0a4-e2f686bce85c'] })
      }),
      response: { 200: Record }
    }
  }, async (request) => {
    const { kind: name, id } = request.params as { kind: string, id: string }
    const kind = kinds[name as KindName]
    if (kind === undefined) throw new AdminError('NOT_FOUND', `there is no kind '${name.slice(0, 40)}'`, `did you mean ${nearest(name, names) ?? names.join(', ')}?`)
    const view = await payments.find(request.account, kind, id)
    if (view === undefined) throw new AdminError('NOT_FOUND', `there is no ${name} ${id} on this account`, 'a payment belongs to the account whose token made it')
    const { payment, state } = view
    const wire = wires.find(({ generation }) => generation === payment.generation)
    return {
      kind: name,
      id: payment.details.id,
      generation: payment.generation,
      status: state.to,
      scenario: payment.plan.scenario,
      why: payment.plan.why,
      history: historyAt(payment, timekeeper.now(request.account)).map(({ at, to, cause, failure }) => ({ at: new Date(at).toISOString(), status: to, cause, failureReason: failure })),
      record: wire?.codecs[kind.name]?.write(view)
    }
  })
}
