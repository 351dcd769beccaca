import type { Static } from '@sinclair/typebox'
import type { AccountAnswer, AccountSummary } from '../admin-api/accounts.ts'
import type { CallbackView } from '../admin-api/callbacks.ts'
import type { AdvanceAnswer, ClockAnswer } from '../admin-api/clock.ts'
import type { CoverageAnswer } from '../admin-api/coverage.ts'
import type { AdminErrorAnswer } from '../admin-api/errors.ts'
import type { ExampleRequest as ExampleSchema, TestNumberList } from '../admin-api/examples.ts'
import type { InvariantsAnswer } from '../admin-api/invariants.ts'
import type { LintAnswer } from '../admin-api/lint.ts'
import type {
  MoveError,
  PaymentCounts as PaymentCountsSchema,
  PaymentSummary as PaymentSummarySchema,
  PaymentView
} from '../admin-api/payments.ts'
import type { PhoneView } from '../admin-api/phone.ts'
import type { ProviderState as ProviderStateSchema } from '../admin-api/providers.ts'
import type { CodesAnswer } from '../admin-api/codes.ts'
import type { RatesAnswer } from '../admin-api/rates.ts'
import type { JournalEntry as JournalEntrySchema } from '../admin-api/requests.ts'
import type { ResetAnswer } from '../admin-api/reset.ts'
import type { ScenarioCheck as ScenarioCheckSchema } from '../admin-api/scenario-check.ts'
import type { AddedScenarioAnswer } from '../admin-api/scenarios.ts'
import type {
  KeyList,
  SignatureExplanation as SignatureExplanationSchema,
  SignedCallback as SignedCallbackSchema
} from '../admin-api/signatures.ts'
import type { SinkOrders as SinkOrdersSchema, SinkView } from '../admin-api/sinks.ts'
import type { SetAsidePage } from '../admin-api/set-aside.ts'
import type { SnapshotAnswer } from '../admin-api/snapshots.ts'
import type { StatusCheckOrders as StatusCheckOrdersSchema } from '../admin-api/status-checks.ts'
import type { VerifyAnswer } from '../admin-api/verify.ts'
import type { FailureCode } from '../domain/failures.ts'
import type { OperationId } from '../domain/known-codes.ts'
import type { ProviderCode } from '../domain/provider-code.ts'
import type { WalletView } from '../admin-api/wallets.ts'

/**
 * Answers of the admin API. Each type is derived from the schema of its route; an interface gives
 * it a name in messages of the compiler. These imports disappear at run time.
 */

export type { Report as ExamReport } from '../exam-report/report.ts'
export type { MockEvent } from '../monitoring/mock-event.ts'
export type { Headers, Json } from '../admin-api/fields.ts'

/** The same object with other types of some fields: codes that are a string to the server. */
type Replace<T, Fields> = Omit<T, keyof Fields> & Fields

/** Codes in the record of a payment. */
interface PaymentCodes {
  provider?: ProviderCode
}

export interface Clock extends Static<typeof ClockAnswer> {}

/** Result of an advance of the clock. */
export interface Advance extends Static<typeof AdvanceAnswer> {}

export interface Callback extends Static<typeof CallbackView> {}

/** One attempt to deliver a callback. */
export type CallbackAttempt = Callback['attempts'][number]

/** Number of payments of each kind in each status. */
export interface PaymentCounts extends Static<typeof PaymentCountsSchema> {}

export interface PaymentSummary extends Replace<
  Static<typeof PaymentSummarySchema>,
  PaymentCodes
> {}

/** Step in the history of a payment. */
export interface HistoryEntry extends Replace<
  Static<typeof PaymentView>['history'][number],
  { failureReason?: { failureCode: FailureCode; failureMessage: string } }
> {}

/** Payment with its history, wallet entries and callbacks. */
export interface Payment extends Replace<
  Static<typeof PaymentView>,
  PaymentCodes & { history: HistoryEntry[] }
> {}

/** Scenario that was added to the account. */
export interface AddedScenario extends Static<typeof AddedScenarioAnswer> {}

/** Problems of a scenario, and the payments that it would have affected. */
export interface ScenarioCheck extends Static<typeof ScenarioCheckSchema> {}

/** Provider whose availability was set. */
export interface ProviderState extends Replace<
  Static<typeof ProviderStateSchema>,
  { provider: ProviderCode }
> {}

/** Phone of a customer. */
export interface Phone extends Static<typeof PhoneView> {}

/** Deposit that waits for its customer. */
export type Prompt = Phone['prompts'][number]

type AdminErrorFields = Static<typeof AdminErrorAnswer>['error']
type MoveErrorFields = Static<typeof MoveError>['error']

/** Error of an admin call. */
export interface Refusal extends AdminErrorFields {
  /** Statuses that a payment can be moved to, if a move was refused. */
  legalMoves?: MoveErrorFields['legalMoves']
  /** The payment, if a wait or a move failed. */
  seen?: Payment
  /** The nearest candidate, if a wait for an event was in vain. */
  nearest?: NearestCandidate
}

/** Explanation of the signature of a request. */
export interface SignatureExplanation extends Static<typeof SignatureExplanationSchema> {}

/** Callback that was signed and can be sent. */
export interface SignedCallback extends Static<typeof SignedCallbackSchema> {}

export interface PublishedKeys extends Static<typeof KeyList> {}

/** Request of the journal and its answer. */
export interface JournalEntry extends Replace<
  Static<typeof JournalEntrySchema>,
  { operation?: OperationId }
> {}

/** Request, callback or payment that is nearest to a matcher, and how it differs. */
export type NearestCandidate = NonNullable<VerifyResult['failed'][number]['nearest']>

export interface VerifyResult extends Static<typeof VerifyAnswer> {}

/** Parts that a reset has set back, and parts that it has kept. */
export interface Reset extends Static<typeof ResetAnswer> {}

export interface Account extends Static<typeof AccountAnswer> {}

export interface ListedAccount extends Static<typeof AccountSummary> {}

/** A payment that was set aside. */
export type SetAsidePayment = Static<typeof SetAsidePage>['payments'][number]

export interface Snapshot extends Static<typeof SnapshotAnswer> {}

/** Rules that must always be true of an account, and whether they are. */
export interface Invariants extends Static<typeof InvariantsAnswer> {}

/** Features of the API that an account has used, and those that it has not. */
export interface Coverage extends Static<typeof CoverageAnswer> {}

/** Findings about the requests of an account: what v2 refuses, or what is unwise. */
export interface Lint extends Static<typeof LintAnswer> {}

/** Answers of a sink to the next callbacks. */
export interface SinkOrders extends Static<typeof SinkOrdersSchema> {}

/** Ordered answers to the next status checks. */
export interface StatusCheckOrders extends Static<typeof StatusCheckOrdersSchema> {}

/** Wallet of the account and its money. */
export interface Wallet extends Static<typeof WalletView> {}

/** Callbacks that a sink received, newest last. */
export interface Sink extends Static<typeof SinkView> {}

/** Request that is accepted. */
export interface ExampleRequest extends Static<typeof ExampleSchema> {}

/** Request that was sent, and its answer. */
export interface SentRequest {
  /** Identifier of the payment. */
  id: string
  request: ExampleRequest
  /** HTTP status of the answer. */
  status: number
  /** The answer. The status of an accepted payment is `ACCEPTED`. */
  body: {
    status?: 'ACCEPTED' | 'ENQUEUED' | 'DUPLICATE_IGNORED' | 'REJECTED'
    created?: string
    redirectUrl?: string
    failureReason?: { failureCode: string; failureMessage: string }
    [field: string]: unknown
  }
}

/** Phone number that decides a payment. */
export type TestNumber = Static<typeof TestNumberList>['testNumbers'][number]

/** Code of a failed or rejected payment. */
export type PaymentCode = Static<typeof CodesAnswer>['codes'][number]

/** Requests, payments and callbacks per second. */
export type Rate = Static<typeof RatesAnswer>['samples'][number]
