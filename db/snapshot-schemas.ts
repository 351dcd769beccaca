import {
  AnyName,
  choice,
  closed,
  type FormOf,
  orNull,
  type SchemaOf,
  Type
} from '../src/lib/typebox.ts'
import { earliestTime, latestTime } from '../src/lib/clock.ts'
import type { ErrorCounts } from '../src/lib/ids.ts'
import { AccountStateSchema, StoredClock, StoredTime } from '../src/accounts/stored-state.ts'
import { amountPattern } from '../src/domain/amount.ts'
import { versions } from '../src/domain/api-version.ts'
import type { CallbackFault } from '../src/domain/callback-faults.ts'
import { returnMethods, type CheckoutTerms } from '../src/domain/checkout-terms.ts'
import {
  firstCallbackQueue,
  linkQueue,
  outageQueue,
  paymentQueue,
  releaseQueue,
  statementQueue
} from '../src/ports/due-queue.ts'
import { kinds, operations } from '../src/domain/kinds.ts'
import { deliveryStates, type Attempt, type DeliveryFault } from '../src/ports/outgoing-callback.ts'
import { languages, type PageSession } from '../src/domain/page-session.ts'
import type { CheckoutDetails, PaymentDetails } from '../src/domain/payment-request.ts'
import { moveCauses, type Plan } from '../src/domain/plan.ts'
import type { StatementRequest } from '../src/domain/statement.ts'
import { statuses, type FailureReason } from '../src/domain/status.ts'

/**
 * Forms of the lines of snapshot files: the header, and the rows of each table. A column of JSON is
 * described as the value that it holds.
 */

const { Optional } = Type

const Text = Type.String({ description: 'a text' })
const Yes = Type.Boolean({ description: 'true or false' })
const Amount = Type.String({ pattern: amountPattern, description: 'an amount such as "15.50"' })
const Id = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  description: 'an identifier'
})
const Country = Type.String({ pattern: '^[A-Z]{3}$', description: 'an alpha-3 country code' })
const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'a currency code' })
const Version = choice(versions)
const Count = Type.Integer({
  minimum: 0,
  maximum: 2 ** 31 - 1,
  description: 'a whole number from 0 to 2147483647'
})
const Milliseconds = Type.Number({
  minimum: 0,
  maximum: latestTime,
  description: 'a number of milliseconds from 0'
})
/** Number of a row. */
const RowNumber = Type.Integer({
  minimum: 1,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'the number of a row'
})
/** Money in hundredths. A wallet with more could not be read as a whole number of JavaScript. */
const Money = Type.Integer({
  minimum: -1e15,
  maximum: 1e15,
  description: 'whole hundredths, at most 1000000000000000'
})

const object = (description: string) => ({ ...closed, description })
const textByName = Type.Record(AnyName, Text, { description: 'texts by name' })

const Bytes = Type.Object(
  { base64: Type.String({ pattern: '^[A-Za-z0-9+/]*={0,2}$', description: 'base64' }) },
  object('bytes as { base64 }')
)
/** Identifier of a payment. */
const IdBytes = Type.Object(
  { base64: Type.String({ pattern: '^[A-Za-z0-9+/]{22}==$', description: '16 bytes in base64' }) },
  object('16 bytes as { base64 }')
)

const Failure = Type.Object(
  { failureCode: Text, failureMessage: Text },
  object('{ failureCode, failureMessage }')
) satisfies FormOf<FailureReason>

const Metadata = Type.Array(
  Type.Object({ name: Text, value: Text, isPII: Optional(Yes) }, object('{ name, value, isPII }')),
  { description: 'a list of { name, value, isPII }' }
)

const Payer = Type.Object(
  { phoneNumber: Optional(Text), provider: Optional(Text), allowCustomerToOverride: Yes },
  object('{ phoneNumber, provider, allowCustomerToOverride }')
)

const terms = {
  returnUrl: Text,
  returnMethod: choice(returnMethods),
  defaultLanguage: Optional(Text),
  countries: Optional(Type.Array(Country, { description: 'a list of countries' })),
  expiresAfter: Count,
  amounts: Optional(
    Type.Array(
      Type.Object(
        { country: Country, currency: Currency, amount: Amount },
        object('{ country, currency, amount }')
      ),
      { description: 'a list of { country, currency, amount }' }
    )
  ),
  payer: Optional(Payer),
  reason: Optional(textByName)
}
const Terms = Type.Object(terms, object('terms')) satisfies FormOf<CheckoutTerms>

const details = {
  id: Id,
  amount: Amount,
  currency: Currency,
  country: Country,
  provider: Text,
  phoneNumber: Text,
  customerMessage: Text,
  clientReferenceId: Optional(Text),
  metadata: Optional(Metadata),
  preAuthorisationCode: Optional(Text),
  successfulUrl: Optional(Text),
  failedUrl: Optional(Text),
  attended: Optional(Yes),
  customerTimestamp: Optional(Text),
  depositId: Optional(Id),
  sender: Optional(Type.Object({}, { additionalProperties: true, description: 'an object' })),
  recipientDetails: Optional(
    Type.Object({}, { additionalProperties: true, description: 'an object' })
  ),
  splits: Optional(
    Type.Array(
      Type.Object(
        {
          payoutId: Id,
          amount: Amount,
          phoneNumber: Text,
          provider: Text,
          customerMessage: Optional(Text)
        },
        object('a payout of a split payment')
      ),
      { description: 'a list of payouts' }
    )
  ),
  terms: Optional(Terms),
  authorizationUrl: Optional(Text),
  silent: Optional(Yes)
}

const Details = Type.Object(details, object('a payment')) satisfies FormOf<PaymentDetails>

/** What a kind needs besides. */
const detailsByKind = {
  refund: Type.Object({ ...details, depositId: Id }, object('a refund')),
  splitPayment: Type.Object(
    { ...details, splits: Type.Array(details.splits.items, { description: 'a list of payouts' }) },
    object('a split payment')
  ),
  checkout: Type.Object(
    {
      id: Id,
      clientReferenceId: Optional(Text),
      metadata: Optional(Metadata),
      terms: Type.Object(
        {
          ...terms,
          countries: Type.Array(Country, { description: 'a list of countries' }),
          anyCountry: Optional(Yes)
        },
        object('terms')
      ),
      checkoutCode: Text,
      redirectUrl: Text
    },
    object('a checkout')
  ) satisfies FormOf<Omit<CheckoutDetails, 'silent'>>
}

const forgery = {
  staleMs: Optional(Milliseconds),
  wrongKey: Optional(Yes),
  otherHost: Optional(Yes),
  tampered: Optional(Yes),
  unsigned: Optional(Yes)
}
const SentFault = Type.Object(
  { ...forgery, forgedBody: Optional(Text) },
  object('faults of a callback')
) satisfies FormOf<DeliveryFault>

const Fault = Type.Object(
  {
    ...forgery,
    delayMs: Optional(Milliseconds),
    duplicates: Optional(
      Type.Integer({ minimum: 0, maximum: 100, description: 'a whole number from 0 to 100' })
    ),
    drop: Optional(Yes),
    beforeAnswer: Optional(Yes),
    afterNext: Optional(Yes),
    extraFields: Optional(Type.Record(AnyName, Type.Unknown(), { description: 'an object' }))
  },
  object('faults of callbacks')
) satisfies FormOf<CallbackFault>

const effect = {
  to: choice(statuses),
  failure: Optional(Failure),
  notify: Optional(Yes)
}
const Steps = Type.Array(Type.Object({ at: StoredTime, ...effect }, object('a step')), {
  description: 'a list of steps'
})

const origins = choice([
  'default',
  'testNumber',
  'customer',
  'file',
  'added',
  'named',
  'waitingPart',
  'checkout'
])

const plan = {
  origin: origins,
  scenario: Text,
  why: Text,
  steps: Steps,
  callback: Optional(Fault),
  ignored: Optional(Yes),
  held: Optional(
    Type.Array(Type.Object({ after: Milliseconds, ...effect }, object('a step')), {
      description: 'a list of steps'
    })
  ),
  expiredBy: Optional(choice(moveCauses)),
  statusCheck: Optional(
    Type.Object(
      {
        status: Type.Integer({ minimum: 400, maximum: 599, description: 'an HTTP status' }),
        forMs: Optional(Milliseconds)
      },
      object('{ status, forMs }')
    )
  ),
  suspiciousActivityReport: Optional(
    Type.Array(
      Type.Object({ activityType: Text, comment: Text }, object('{ activityType, comment }')),
      { description: 'a list of { activityType, comment }' }
    )
  ),
  providerTransactionId: Text
}
const PlanSchema = Type.Object(plan, object('a plan')) satisfies FormOf<Plan>
/** The last step of the plan of a checkout is its end. */
const CheckoutPlan = Type.Object(
  { ...plan, steps: Type.Array(Steps.items, { minItems: 1, description: 'a list of steps' }) },
  object('a plan')
)

const Session = Type.Object(
  {
    token: Text,
    account: RowNumber,
    version: Version,
    created: StoredTime,
    expiresAt: StoredTime,
    terms: Type.Object(
      {
        depositId: Id,
        returnUrl: Text,
        customerMessage: Optional(Text),
        amount: Optional(Amount),
        currency: Optional(Currency),
        phoneNumber: Optional(Text),
        language: Optional(choice(languages)),
        country: Optional(Country),
        reason: Optional(Text),
        metadata: Optional(Metadata)
      },
      object('terms')
    ),
    scenario: Optional(Text)
  },
  object('a session')
) satisfies FormOf<PageSession>

const Headers = Type.Record(
  AnyName,
  Type.Union([Text, Type.Array(Text)], { description: 'a text or a list of texts' }),
  { description: 'headers' }
)

const AttemptSchema = Type.Object(
  {
    at: StoredTime,
    durationMs: Milliseconds,
    request: Type.Object(
      { headers: textByName, body: Optional(Text) },
      object('{ headers, body }')
    ),
    status: Optional(Type.Integer({ minimum: 100, maximum: 999, description: 'an HTTP status' })),
    error: Optional(Text),
    response: Optional(Type.Object({ headers: Headers, body: Text }, object('{ headers, body }')))
  },
  object('an attempt')
) satisfies FormOf<
  // Without the body of its callback.
  Omit<Attempt, 'request'> & { request: Partial<Attempt['request']> }
>

const StatementSchema = Type.Object(
  {
    wallet: Type.Object(
      { country: Country, currency: Currency, provider: Optional(Text) },
      object('{ country, currency, provider }')
    ),
    callbackUrl: Type.String({ format: 'http-url', description: 'an http or https URL' }),
    startDate: Type.String({ format: 'utc-date-time', description: 'a date and time' }),
    endDate: Type.String({ format: 'utc-date-time', description: 'a date and time' }),
    compressed: Yes,
    failure: Optional(Failure)
  },
  object('a request')
) satisfies FormOf<StatementRequest>

/** Columns of a table. */
export interface TableForm {
  columns: Record<string, SchemaOf<unknown>>
  /** Columns with JSON. */
  json?: readonly string[]
  /** Columns that depend on the value of another one. */
  variants?: { by: string; columns: Record<string | number, Record<string, SchemaOf<unknown>>> }
}

const kindCodes = Type.Union(
  Object.values(kinds).map(({ ledgerCode }) => Type.Literal(ledgerCode)),
  { description: 'the number of a kind of payment' }
)
const callbackQueues = Type.Integer({
  minimum: firstCallbackQueue,
  maximum: firstCallbackQueue + 2 ** 32 - 1,
  description: 'the queue of a receiver'
})
const ownQueues = [paymentQueue, statementQueue, linkQueue, outageQueue, releaseQueue]

/** Forms of the rows of all tables. */
export const tableForms: Readonly<Record<string, TableForm>> = {
  payments: {
    columns: {
      seq: RowNumber,
      kind: kindCodes,
      id: IdBytes,
      parent: orNull(RowNumber),
      version: Version,
      created: StoredTime,
      details: Details,
      plan: PlanSchema
    },
    json: ['details', 'plan'],
    variants: {
      by: 'kind',
      columns: {
        [kinds.refund.ledgerCode]: { details: detailsByKind.refund },
        [kinds.splitPayment.ledgerCode]: { details: detailsByKind.splitPayment },
        [kinds.checkout.ledgerCode]: { details: detailsByKind.checkout, plan: CheckoutPlan }
      }
    }
  },
  moves: {
    columns: {
      payment: RowNumber,
      n: Count,
      at: StoredTime,
      status: choice(statuses),
      failure: orNull(Failure),
      actor: choice(moveCauses),
      cause: Text,
      step: orNull(Count),
      no_callback_reason: orNull(choice(['nowhere', 'part', 'dropped']))
    },
    json: ['failure']
  },
  codes: { columns: { code: Text, payment: RowNumber } },
  entries: {
    columns: {
      wallet: RowNumber,
      book: choice(['available', 'reserved', 'world']),
      payment: orNull(RowNumber),
      at: StoredTime,
      amount: Money
    }
  },
  provider_queue: {
    columns: {
      provider: Text,
      operation: choice(operations),
      payment: RowNumber
    }
  },
  set_aside: {
    columns: { payment: RowNumber, at: StoredTime, error: Text }
  },
  sessions: {
    columns: {
      seq: RowNumber,
      token: Text,
      deposit: IdBytes,
      n: Count,
      session: Session
    },
    json: ['session']
  },
  statements: {
    columns: {
      seq: RowNumber,
      id: Id,
      created: StoredTime,
      due: StoredTime,
      request: StatementSchema,
      ended: orNull(StoredTime),
      failure: orNull(Failure),
      file: orNull(Bytes)
    },
    json: ['request', 'failure']
  },
  wallets: {
    columns: {
      id: RowNumber,
      country: Country,
      currency: Currency,
      available: Money,
      reserved: Money
    }
  },
  due_queue: {
    columns: {
      queue: Type.Union([...ownQueues.map((queue) => Type.Literal(queue)), callbackQueues], {
        description: 'the number of a queue'
      }),
      due: StoredTime,
      subject: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'the number of a row'
      })
    }
  },
  callbacks: {
    columns: {
      seq: RowNumber,
      payment: orNull(RowNumber),
      queue: callbackQueues,
      url: Type.String({ format: 'http-url', description: 'an http or https URL' }),
      body: Type.Object({}, { additionalProperties: true, description: 'an object of JSON' }),
      fault: orNull(SentFault),
      created: StoredTime,
      state: choice(deliveryStates),
      attempts: Count,
      first_due: StoredTime,
      first_attempt: orNull(StoredTime),
      due: orNull(StoredTime)
    },
    json: ['body', 'fault'],
    variants: { by: 'state', columns: { PENDING: { due: StoredTime } } }
  },
  attempts: {
    columns: { callback: RowNumber, n: Count, attempt: AttemptSchema },
    json: ['attempt']
  },
  held_callbacks: { columns: { callback: RowNumber } },
  uses: {
    columns: {
      scenario: Text,
      // The time of the first use, where that is what counts.
      count: Type.Integer({
        minimum: earliestTime,
        maximum: latestTime,
        description: 'a number of uses, or a time'
      })
    }
  }
}

/** First line of a file. */
export const HeaderSchema = Type.Object(
  {
    momock: Type.Literal('snapshot'),
    version: Text,
    ledger: Count,
    taken: StoredTime,
    state: Type.Object(
      {
        ...AccountStateSchema.properties,
        clock: StoredClock,
        now: StoredTime,
        seed: Text,
        errors: Type.Unsafe<ErrorCounts>(
          Type.Record(AnyName, Count, { description: 'counts by request' })
        )
      },
      object('the state of an account')
    )
  },
  object('the first line of a snapshot')
)
