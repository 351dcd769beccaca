import type { Static, TSchema } from '@sinclair/typebox'
import type { AccountAnswer, AccountList } from '../../routes/admin/accounts.ts'
import type { AdvanceAnswer, ClockAnswer } from '../../routes/admin/clock.ts'
import type { CoverageAnswer } from '../../routes/admin/coverage.ts'
import type { InvariantsAnswer } from '../../routes/admin/invariants.ts'
import type { LintAnswer } from '../../routes/admin/lint.ts'
import type { MoveFailure } from '../../routes/admin/payments.ts'
import type { Phone as PhoneSchema } from '../../routes/admin/phone.ts'
import type { OutageList } from '../../routes/admin/providers.ts'
import type { JournalEntry as EntrySchema } from '../../routes/admin/requests.ts'
import type { ResetAnswer } from '../../routes/admin/reset.ts'
import type { AddedScenarioAnswer } from '../../routes/admin/scenarios.ts'
import type {
  ExplanationAnswer,
  KeyList,
  PastedRequest as PastedSchema
} from '../../routes/admin/signatures.ts'
import type { Inbox, OrderAnswer } from '../../routes/admin/sink.ts'
import type { SnapshotAnswer } from '../../routes/admin/snapshots.ts'
import type { VerifyAnswer } from '../../routes/admin/verify.ts'
import type { WaitFailure } from '../../routes/admin/wait.ts'
import type {
  CallbackView,
  PaymentSummary as SummarySchema,
  PaymentView
} from '../../routes/admin/views.ts'
import type * as ours from '../../src/client/responses.ts'
import type { Decision } from '../../src/services/customer-phone.ts'
import type { MomockClient } from '../../src/index.ts'
import type * as asked from '../../src/client/requests.ts'
import type { ResetPart } from '../../src/services/account-lifecycle.ts'

/** Compiles only if the types that users get say what the reference says. */

/** Every field at any depth, such as `clock.mode`. */
type Fields<T> =
  T extends ReadonlyArray<infer Item>
    ? Fields<Item>
    : T extends object
      ? string extends keyof T
        ? never
        : {
            [Name in keyof T & string]-?: Name | `${Name}.${Fields<NonNullable<T[Name]>>}`
          }[keyof T & string]
      : never

/** What is shown is what was promised, and all of it. */
type Agrees<Ours, Schema extends TSchema> = [Static<Schema>] extends [Ours]
  ? [Exclude<Fields<Static<Schema>>, Fields<Ours>>] extends [never]
      ? true
      : { notPromised: Exclude<Fields<Static<Schema>>, Fields<Ours>> }
  : { promised: Ours; shown: Static<Schema> }

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : { missing: B }) : { missing: A }

type Holds<Claims extends true[]> = Claims

export type Answers = Holds<
  [
    Agrees<ours.PaymentSummary, typeof SummarySchema>,
    Agrees<ours.Payment, typeof PaymentView>,
    Agrees<{ error: ours.Refusal }, typeof MoveFailure>,
    Agrees<{ error: ours.Refusal }, typeof WaitFailure>,
    Agrees<ours.Callback, typeof CallbackView>,
    Agrees<ours.Clock, typeof ClockAnswer>,
    Agrees<ours.Advance, typeof AdvanceAnswer>,
    Agrees<ours.AddedScenario, typeof AddedScenarioAnswer>,
    Agrees<{ providers: ours.ProviderState[] }, typeof OutageList>,
    Agrees<ours.Phone, typeof PhoneSchema>,
    Agrees<ours.JournalEntry, typeof EntrySchema>,
    Agrees<ours.VerifyResult, typeof VerifyAnswer>,
    Agrees<ours.Reset, typeof ResetAnswer>,
    Agrees<ours.Account, typeof AccountAnswer>,
    Agrees<ours.ListedAccount, typeof AccountList>,
    Agrees<ours.Snapshot, typeof SnapshotAnswer>,
    Agrees<ours.Invariants, typeof InvariantsAnswer>,
    Agrees<ours.Coverage, typeof CoverageAnswer>,
    Agrees<ours.Lint, typeof LintAnswer>,
    Agrees<ours.SinkOrders, typeof OrderAnswer>,
    Agrees<ours.Sink, typeof Inbox>,
    Agrees<ours.SignatureExplanation, typeof ExplanationAnswer>,
    Agrees<ours.PublishedKeys, typeof KeyList>
  ]
>

export type Questions = Holds<
  [
    Same<asked.ResetPart, ResetPart>,
    Same<Fields<asked.PastedRequest>, Fields<Static<typeof PastedSchema>>>,
    Same<Parameters<MomockClient['answerPhone']>[2], Decision>
  ]
>
