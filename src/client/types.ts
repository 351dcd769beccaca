/**
 * Types of the client. Each stands beside the schema that it is made from; `npm run build` writes
 * the fields and what they mean into the package (`tools/declarations.ts`).
 */

export type {
  Account,
  AccountChanges,
  ListedAccount,
  NewAccountSettings
} from '../admin-api/accounts.ts'
export type { Callback, CallbackAttempt } from '../admin-api/callbacks.ts'
export type { Advance, Clock, ClockAdvance, ClockSettings } from '../admin-api/clock.ts'
export type { PaymentCode } from '../admin-api/codes.ts'
export type { Coverage } from '../admin-api/coverage.ts'
export type {
  ExampleRequest,
  ExampleTerms,
  SendTerms,
  SentRequest,
  TestNumber
} from '../admin-api/examples.ts'
export type { Headers, Json } from '../admin-api/fields.ts'
export type { Invariants } from '../admin-api/invariants.ts'
export type { Lint } from '../admin-api/lint.ts'
export type {
  CallbackToSend,
  HistoryEntry,
  Payment,
  PaymentCounts,
  PaymentStatus,
  PaymentSummary
} from '../admin-api/payments.ts'
export type { Phone, Prompt, PromptDecision } from '../admin-api/phone.ts'
export type { ProviderState, ProviderStates } from '../admin-api/providers.ts'
export type { Rate } from '../admin-api/rates.ts'
export type { JournalEntry } from '../admin-api/requests.ts'
export type { Reset } from '../admin-api/reset.ts'
export type { ScenarioCheck } from '../admin-api/scenario-check.ts'
export type { AddedScenario, Scenario } from '../admin-api/scenarios.ts'
export type { SetAsidePayment } from '../admin-api/set-aside.ts'
export type {
  CallbackToSign,
  PastedRequest,
  PublishedKeys,
  SignatureExplanation,
  SignedCallback
} from '../admin-api/signatures.ts'
export type { Sink, SinkAnswer, SinkAnswers, SinkOrders } from '../admin-api/sinks.ts'
export type { Snapshot } from '../admin-api/snapshots.ts'
export type {
  StatusCheckAnswer,
  StatusCheckAnswers,
  StatusCheckOrders
} from '../admin-api/status-checks.ts'
export type { NearestCandidate, VerifyResult } from '../admin-api/verify.ts'
export type { WaitGoal } from '../admin-api/wait.ts'
export type { Wallet } from '../admin-api/wallets.ts'
export type { AccountSettings } from '../domain/account-settings.ts'
export type { Availability } from '../domain/account.ts'
export type { Group as CoverageGroup } from '../verification/coverage.ts'
export type { Expectation } from '../verification/expectation.ts'
export type { FailureCode, FailureCodeOf } from '../domain/failures.ts'
export type { KindName as Kind, Operation, PayableKind } from '../domain/kinds.ts'
export type { OperationId } from '../domain/known-codes.ts'
export type { CallbackMatcher, RequestMatcher } from '../verification/matching.ts'
export type { MockEvent } from '../monitoring/mock-event.ts'
export type { DeliveryState } from '../ports/outgoing-callback.ts'
export type { PaymentMatcher } from '../verification/payment-matching.ts'
export type { CountryCode, OwnCodes, ProviderCode } from '../domain/provider-code.ts'
export type { RejectionCode, RejectionCodeOf } from '../domain/rejections.ts'
export type { ResetPart } from '../domain/reset-parts.ts'
export type { Report as ExamReport } from '../reports/exam/report.ts'
export type { Duration } from '../lib/typebox.ts'
export type { MomockErrorCode, Refusal } from './errors.ts'
export type {
  CallbackFilter,
  CountFilter,
  CoverageOptions,
  EffectOptions,
  EndSignal,
  EventListener,
  EventOptions,
  EventWaitOptions,
  Outage,
  OutcomeOptions,
  PaymentFilter,
  QueueingKind,
  WaitOptions
} from './options.ts'
