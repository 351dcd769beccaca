import { Type } from '../../src/lib/typebox.ts'
import { withoutPassword } from '../../src/lib/url.ts'
import { fromHundredths } from '../../src/domain/amount.ts'
import { kinds, type Kind, type KindName } from '../../src/domain/kinds.ts'
import { type AnyPayment } from '../../src/domain/payment.ts'
import { statuses } from '../../src/domain/status.ts'
import type { Move } from '../../src/domain/plan.ts'
import type { Callback } from '../../src/domain/ports.ts'
import { shownCallbacks, type PaymentRecord } from '../../src/services/payment-inspector.ts'
import { closed, DateTime, FailureReason, PathIdentifier, wordOf } from '../../src/wire/fields.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { AdminError, suggestName } from './guard.ts'

/** Payments and callbacks as the tester sees them. */

export const kindNames = Object.keys(kinds) as KindName[]
const Headers = Type.Object(
  {},
  { additionalProperties: Type.Union([Type.String(), Type.Array(Type.String())]) }
)

/** Whatever the callback or record holds; it is described with the API itself. */
const Json = Type.Object({}, { additionalProperties: true })

export const KindWord = Type.String({
  description: `one of ${kindNames.join(', ')}`,
  examples: ['deposit']
})
// That of the example deposit, so that this example finds it.
export const PaymentId = Type.String({
  ...PathIdentifier,
  examples: ['0b5cbd82-5299-43ea-a0a4-e2f686bce85c']
})

export const CallbackView = Type.Object(
  {
    id: Type.Integer(),
    kind: wordOf(...kindNames, 'statement'),
    paymentId: Type.Optional(Type.String({ description: 'the payment it tells of' })),
    url: Type.String({ description: 'a password in it is hidden' }),
    state: wordOf('PENDING', 'ACKNOWLEDGED', 'EXHAUSTED'),
    created: Type.String({
      ...DateTime,
      description: 'when it came to be, on the clock of the account'
    }),
    nextAttempt: Type.Optional(
      Type.String({
        ...DateTime,
        description: 'when it is tried next, on the clock of the account'
      })
    ),
    drill: Type.Optional(
      Type.Object(
        {
          staleMs: Type.Optional(Type.Integer()),
          wrongKey: Type.Optional(Type.Boolean()),
          tampered: Type.Optional(Type.Boolean()),
          unsigned: Type.Optional(Type.Boolean())
        },
        { ...closed, description: 'what a scenario made wrong with it' }
      )
    ),
    body: Json,
    tries: Type.Integer({ minimum: 0, description: 'how often it was tried' }),
    attempts: Type.Array(
      Type.Object(
        {
          at: DateTime,
          durationMs: Type.Number(),
          request: Type.Object({ headers: Headers, body: Type.String() }, closed),
          status: Type.Optional(Type.Integer()),
          error: Type.Optional(Type.String({ description: 'why no status came back' })),
          response: Type.Optional(
            Type.Object(
              { headers: Headers, body: Type.String({ description: 'the first 2 KiB' }) },
              closed
            )
          )
        },
        closed
      ),
      { description: 'those that are still kept: the last 10,000 of an account' }
    )
  },
  closed
)

const summary = {
  kind: wordOf(...kindNames),
  id: Type.String(),
  generation: wordOf('v1', 'v2'),
  status: wordOf(...statuses),
  created: DateTime,
  amount: Type.Optional(Type.String()),
  currency: Type.Optional(Type.String()),
  provider: Type.Optional(Type.String()),
  phoneNumber: Type.Optional(Type.String()),
  scenario: Type.String({ description: 'what was chosen for it' })
}

export const PaymentSummary = Type.Object(summary, closed)

export const PaymentView = Type.Object(
  {
    ...summary,
    why: Type.String({ description: 'why that was chosen' }),
    history: Type.Array(
      Type.Object(
        {
          at: DateTime,
          status: wordOf(...statuses),
          cause: Type.String(),
          failureReason: Type.Optional(FailureReason)
        },
        closed
      )
    ),
    record: Type.Object(
      {},
      { additionalProperties: true, description: 'as a status check of its generation shows it' }
    ),
    entries: Type.Array(
      Type.Object(
        {
          at: DateTime,
          country: Type.String(),
          currency: Type.String(),
          book: wordOf('available', 'reserved', 'world'),
          amount: Type.String({ description: 'negative where it was taken' })
        },
        closed
      ),
      { description: 'what it has done to the wallets; the entries of a posting sum to zero' }
    ),
    callbacks: Type.Array(CallbackView, {
      description: `oldest first, the last ${shownCallbacks}; GET /__admin/callbacks has all of them`
    })
  },
  closed
)

/** The kind somebody means, by its name or by its word in paths. */
export function findKind (name: string): Kind {
  const kind = Object.values(kinds).find((kind) => kind.name === name || kind.path === name)
  if (kind === undefined) {
    throw new AdminError(
      'NOT_FOUND',
      `there is no kind '${name.slice(0, 40)}'`,
      suggestName(name, kindNames)
    )
  }
  return kind
}

export function paymentNotFound (kind: Kind, id: string): AdminError {
  return new AdminError(
    'NOT_FOUND',
    `there is no ${kind.name} ${id} on this account`,
    'a payment belongs to the account whose token made it'
  )
}

export function summarisePayment ({ payment, state }: { payment: AnyPayment; state: Move }): object {
  const { amount, currency, provider, phoneNumber } =
    'amount' in payment.details ? payment.details : {}
  return {
    kind: payment.kind.name,
    id: payment.details.id,
    generation: payment.generation,
    status: state.to,
    created: iso(payment.created),
    amount,
    currency,
    provider,
    phoneNumber,
    scenario: payment.plan.scenario
  }
}

export function showPayment (
  { view, history, entries, callbacks }: PaymentRecord,
  wires: readonly Wire[]
): object {
  const { payment } = view
  const wire = wires.find(({ generation }) => generation === payment.generation)
  return {
    ...summarisePayment(view),
    why: payment.plan.why,
    history: history.map(({ at, to, cause, failure }) => ({
      at: iso(at),
      status: to,
      cause,
      failureReason: failure
    })),
    record: wire?.codecs[payment.kind.name]?.write(view),
    entries: entries.map(({ at, amount, ...entry }) => ({
      at: iso(at),
      ...entry,
      amount: fromHundredths(amount)
    })),
    callbacks: callbacks.map(showCallback)
  }
}

export function showCallback ({
  seq,
  payment,
  url,
  due,
  created,
  body,
  attempts,
  fault,
  tries,
  ...callback
}: Callback): object {
  const content = JSON.parse(body)
  return {
    id: seq,
    kind: payment?.kind.name ?? 'statement',
    paymentId: payment?.id,
    url: withoutPassword(url),
    ...callback,
    ...(fault !== undefined && { drill: fault }),
    tries,
    created: iso(created),
    ...(due !== undefined && { nextAttempt: iso(due) }),
    body: content,
    attempts: attempts.map(({ at, ...attempt }) => ({ at: iso(at), ...attempt }))
  }
}

function iso (time: number): string {
  return new Date(time).toISOString()
}
