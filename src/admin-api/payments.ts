import type { Static } from '@sinclair/typebox'
import { answerWord, choice, closed, describe, Type } from '../lib/typebox.ts'
import { EarlierVersion, versions } from '../domain/api-version.ts'
import { CallbackFaultSchema, forgeryNames } from '../domain/callback-faults.ts'
import { failures, type FailureCode } from '../domain/failures.ts'
import type { ProviderCode } from '../domain/provider-code.ts'
import { moveCauses } from '../domain/plan.ts'
import { statuses } from '../domain/status.ts'
import { deliveryStates, shownCallbacks } from '../ports/outgoing-callback.ts'
import { DateTime, failureSchema } from '../wire/fields.ts'
import { CallbackView } from './callbacks.ts'
import { createErrorSchema } from './errors.ts'
import {
  createDateTimeText,
  createJsonObject,
  createNumberText,
  kindNames,
  KindWord,
  NextPage,
  PageLimit,
  PaymentId
} from './fields.ts'

/** Requests and answers of the calls about payments. */

export const PaymentPath = Type.Object({ kind: KindWord, id: PaymentId })

export const MomentQuery = Type.Object(
  {
    moment: Type.Optional(
      createNumberText(
        'the number of an entry of `history`, from 0: shows the payment as it was then; ' +
          'without it, as it is now'
      )
    )
  },
  closed
)

/** Filters of payments. */
const filters = {
  kind: Type.Optional(Type.String({ description: 'only payments of this kind' })),
  provider: Type.Optional(
    Type.Unsafe<ProviderCode>(
      Type.String({
        pattern: '^[A-Z0-9_]+$',
        description: 'the code of a provider: only its payments'
      })
    )
  ),
  phoneNumber: Type.Optional(Type.String({ description: 'only payments of this phone number' })),
  version: Type.Optional(
    choice(versions, { description: "'v1' or 'v2': only payments of this version" })
  ),
  generation: EarlierVersion,
  since: Type.Optional(
    createDateTimeText("only payments created at or after this time of the account's clock")
  ),
  until: Type.Optional(
    createDateTimeText("only payments created before this time of the account's clock")
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'the start of an identifier or of a phone number, a clientReferenceId, or a value of ' +
        'the metadata'
    })
  )
}

const WithinMs = createNumberText(
  'milliseconds after which the answer contains what was found so far; without it, everything'
)

export const PaymentQuery = Type.Object(
  {
    ...filters,
    status: Type.Optional(choice(statuses)),
    order: Type.Optional(
      choice(['oldest', 'newest'], {
        description: "'oldest' or 'newest': which payments come first; the default is oldest"
      })
    ),
    after: Type.Optional(createNumberText('the `next` of the previous page')),
    limit: Type.Optional(PageLimit),
    withinMs: Type.Optional(WithinMs)
  },
  closed
)

export const CountQuery = Type.Object({ ...filters, withinMs: Type.Optional(WithinMs) }, closed)

export const MoveRequest = Type.Object(
  {
    to: choice(statuses),
    failureCode: Type.Optional(choice(Object.keys(failures) as FailureCode[]))
  },
  { ...closed, description: '{ to, failureCode }', examples: [{ to: 'PROCESSING' }] }
)

/** Status to move a payment to. */
export type PaymentStatus = Static<typeof MoveRequest>['to']

const { delay, duplicates, stale, wrongKey, otherHost, tampered, unsigned, extraFields } =
  CallbackFaultSchema.properties

export const CallbackToSend = Type.Object(
  {
    status: Type.Optional(
      choice(statuses, {
        description:
          'a status that the payment has or had, or any with a fault that forges the callback ' +
          `(${forgeryNames.join(', ')}); the default is the present one, and COMPLETED if it is ` +
          'tampered'
      })
    ),
    delay,
    duplicates,
    stale,
    wrongKey,
    otherHost,
    tampered,
    unsigned,
    extraFields
  },
  {
    ...closed,
    description:
      '{ status, delay, duplicates, stale, wrongKey, otherHost, tampered, unsigned, ' +
      'extraFields }, or {} for a correct callback',
    examples: [{ tampered: true }]
  }
)

/** Callback about a payment: without fields it is correct. */
export interface CallbackToSend extends Static<typeof CallbackToSend> {}

const summary = {
  kind: describe('the kind of payment', answerWord(...kindNames)),
  id: Type.String({ description: 'its identifier' }),
  version: describe('the version of the API that it was made with', answerWord(...versions)),
  status: describe('its status now', answerWord(...statuses)),
  created: DateTime,
  amount: Type.Optional(Type.String({ description: 'the amount, as it was sent' })),
  currency: Type.Optional(Type.String({ description: 'its currency' })),
  provider: Type.Optional(
    describe('the provider of the customer', Type.Unsafe<ProviderCode>(Type.String()))
  ),
  phoneNumber: Type.Optional(Type.String({ description: 'the number of the customer' })),
  scenario: Type.String({ description: 'the scenario that it follows' }),
  failureCode: Type.Optional(Type.String({ description: 'why it failed' })),
  callback: Type.Optional(
    Type.Object(
      {
        state: describe('the state of its delivery', answerWord(...deliveryStates)),
        tries: Type.Integer({ minimum: 0, description: 'the number of attempts so far' })
      },
      { ...closed, description: 'its latest callback; absent if there is none, and in parts' }
    )
  )
}

export const PaymentSummary = Type.Object(summary, closed)

/** Payment in a list. */
export interface PaymentSummary extends Static<typeof PaymentSummary> {}

export const PaymentPage = Type.Object(
  { payments: Type.Array(PaymentSummary), next: Type.Optional(NextPage) },
  closed
)

export const PaymentCounts = Type.Object(
  {
    total: Type.Integer({ minimum: 0, description: 'the number of all of them' }),
    complete: Type.Boolean({
      description: 'false if the time was over: then the latest payments are counted'
    }),
    counts: describe(
      'the number of each kind and status',
      Type.Array(
        Type.Object(
          {
            kind: describe('the kind of payment', answerWord(...kindNames)),
            status: describe('the status', answerWord(...statuses)),
            count: Type.Integer({ minimum: 1, description: 'the number of payments' })
          },
          closed
        )
      )
    )
  },
  closed
)

/** Number of payments of each kind in each status. */
export interface PaymentCounts extends Static<typeof PaymentCounts> {}

const FailureReason = failureSchema(
  Type.Unsafe<FailureCode>(Type.String({ description: 'why, in one word' }))
)

export const HistoryEntry = Type.Object(
  {
    at: DateTime,
    status: describe('the status that it got', answerWord(...statuses)),
    by: describe('who or what moved it', answerWord(...moveCauses)),
    cause: Type.String({ description: 'why, in a sentence' }),
    failureReason: Type.Optional(describe('why it failed', FailureReason))
  },
  closed
)

/** Step in the history of a payment. */
export interface HistoryEntry extends Static<typeof HistoryEntry> {}

const WalletEntry = Type.Object(
  {
    at: DateTime,
    country: Type.String({ description: 'the country of the wallet' }),
    currency: Type.String({ description: 'the currency of the wallet' }),
    book: describe(
      'the part of the money; world is everything outside',
      answerWord('available', 'reserved', 'world')
    ),
    amount: Type.String({ description: 'negative if money was taken' })
  },
  closed
)

const RelatedPayment = Type.Object(
  {
    kind: describe('the kind of payment', answerWord(...kindNames)),
    id: describe('its identifier', Type.String())
  },
  { ...closed, description: 'the payment that it is a part of, such as the deposit of a refund' }
)

export const PaymentView = Type.Object(
  {
    ...summary,
    why: Type.String({ description: 'why this scenario was selected' }),
    legalMoves: Type.Array(answerWord(...statuses), {
      description: 'the statuses that it can be moved to now'
    }),
    parent: Type.Optional(RelatedPayment),
    pages: Type.Array(
      Type.Object(
        {
          page: describe(
            'which page it is',
            answerWord('payment page', 'authorisation', 'checkout')
          ),
          url: Type.String({ description: 'its address' })
        },
        closed
      ),
      { description: 'the pages of its customer' }
    ),
    parts: Type.Array(PaymentSummary, {
      description:
        'the refunds of a deposit, the payments of a split payment, the attempts of a checkout'
    }),
    moments: Type.Integer({
      minimum: 1,
      description: 'the number of entries of its whole history, for `?moment=`'
    }),
    history: describe('its statuses, oldest first', Type.Array(HistoryEntry)),
    record: createJsonObject('the record that a status check of its version shows'),
    records: createJsonObject('the record in each version that has its kind'),
    entries: Type.Array(WalletEntry, {
      description: 'its effect on the wallets; the entries of one posting add up to zero'
    }),
    callbacks: Type.Array(CallbackView, {
      description: `the last ${shownCallbacks}, oldest first; GET /__admin/callbacks has all`
    })
  },
  closed
)

/** Payment with its history, wallet entries and callbacks. */
export interface Payment extends Static<typeof PaymentView> {}

export const MoveError = createErrorSchema({
  legalMoves: Type.Array(answerWord(...statuses), {
    description: 'the statuses that it can be moved to now'
  }),
  seen: Type.Object(PaymentView.properties, { ...closed, description: 'the payment as it is now' })
})
