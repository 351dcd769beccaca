import type { TObject, TProperties } from '@sinclair/typebox'
import { CallbackQuery } from '../admin-api/callbacks.ts'
import { ClockRequest, AdvanceRequest } from '../admin-api/clock.ts'
import { SendRequest } from '../admin-api/examples.ts'
import { LintQuery } from '../admin-api/lint.ts'
import { CallbackToSend, MoveRequest, PaymentPath, PaymentQuery } from '../admin-api/payments.ts'
import { JournalQuery } from '../admin-api/requests.ts'
import { ResetRequest } from '../admin-api/reset.ts'
import { ScenarioText } from '../admin-api/scenario-check.ts'
import { NewScenario } from '../admin-api/scenarios.ts'
import { PastedRequest } from '../admin-api/signatures.ts'
import { VerifyRequest } from '../admin-api/verify.ts'
import { WaitRequest } from '../admin-api/wait.ts'
import { closed, Type } from '../lib/typebox.ts'
import { explainCallbacks } from './explained-callbacks.ts'

/** Tools for assistants. Each is a call of the admin API, with its schemas and its messages. */

/** Makes a call of the admin API. Throws an error with the message and the hint of a refusal. */
export type CallMock = (method: string, path: string, body?: object) => Promise<unknown>

export interface Tool {
  name: string
  description: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path after /__admin. Its `{names}` are arguments. */
  path: string
  /** Schemas of the arguments: in the path, in the query, and in the body. */
  in: { path?: TObject; query?: TObject; body?: TObject }
  /** Arguments that an assistant usually wants otherwise than the admin API. */
  preset?: Record<string, unknown>
  /** True if it changes the mock. */
  changes?: true
  /** Adds to the answer what takes another call. */
  complete? (answer: object, call: CallMock): Promise<unknown>
}

/** Some fields of a schema, in a schema of their own. */
function pick<Fields extends TProperties> ({ properties }: TObject<Fields>, ...names: string[]) {
  return Type.Object(Object.fromEntries(names.map((name) => [name, properties[name]])), closed)
}

const newest = { order: 'newest', limit: '20' }

export const tools: readonly Tool[] = [
  {
    name: 'list_payments',
    description:
      'Lists payments, newest first: kind, identifier, status, amount, provider and the scenario ' +
      'that they follow. Next: get_payment says why one ended so.',
    method: 'GET',
    path: '/payments',
    in: { query: PaymentQuery },
    preset: newest
  },
  {
    name: 'get_payment',
    description:
      'Shows one payment and why it ended so: its scenario and why that was selected, every ' +
      'status with its cause, the failure code, the wallet entries, the callbacks with their ' +
      'attempts, and the statuses that it can be moved to.',
    method: 'GET',
    path: '/payments/{kind}/{id}',
    in: { path: PaymentPath }
  },
  {
    name: 'list_requests',
    description:
      'Lists the requests that the application sent, newest first, with their answers. Refused ' +
      'ones have the nearest valid request and how it differs.',
    method: 'GET',
    path: '/requests',
    in: { query: JournalQuery },
    preset: { limit: '20', nearest: 'true' }
  },
  {
    name: 'list_callbacks',
    description:
      'Lists callbacks, newest first, with every attempt, the answer of the receiver, and an ' +
      'explanation of the signature of the last attempt.',
    method: 'GET',
    path: '/callbacks',
    in: { query: CallbackQuery },
    preset: { order: 'newest', limit: '10' },
    complete: explainCallbacks
  },
  {
    name: 'explain_signature',
    description:
      'Explains the signature of a request or a callback (RFC 9421): the signature base, and ' +
      'everything that is wrong, with fixes.',
    method: 'POST',
    path: '/signatures/explain',
    in: { body: PastedRequest }
  },
  {
    name: 'verify',
    description:
      'Compares expectations with the requests, callbacks and payments that the mock has seen. ' +
      'An expectation that is not met has the nearest candidate and its differences.',
    method: 'POST',
    path: '/verify',
    in: { body: VerifyRequest }
  },
  {
    name: 'lint',
    description:
      'Lists what the requests of the application do that v2 refuses or that the public rules ' +
      'warn about, with corrected requests.',
    method: 'GET',
    path: '/lint',
    in: { query: pick(LintQuery, 'ignore') }
  },
  {
    name: 'get_exam',
    description:
      'Shows the last report of `momock exam`, which attacks the application with forged, ' +
      'repeated, late and lost callbacks: each finding with its cause and fix. Run the command ' +
      'in a shell to make a new report.',
    method: 'GET',
    path: '/exam',
    in: {}
  },
  {
    name: 'list_scenarios',
    description: 'Lists the scenarios, which decide how payments end, and how often each was used.',
    method: 'GET',
    path: '/scenarios',
    in: {}
  },
  {
    name: 'check_scenario',
    description:
      'Checks a scenario in YAML or JSON without adding it: each problem with its line and fix, ' +
      'and the payments that it would have matched.',
    method: 'POST',
    path: '/scenarios/check',
    in: { body: ScenarioText }
  },
  {
    name: 'get_account',
    description: 'Shows the settings of the account, such as the callback URLs and the wallets.',
    method: 'GET',
    path: '/account',
    in: {}
  },
  {
    name: 'get_clock',
    description: 'Shows the clock of the account. Payments and callbacks follow it.',
    method: 'GET',
    path: '/clock',
    in: {}
  },
  {
    name: 'wait_for_payment',
    description:
      'Waits until a payment is final, or until its callbacks are acknowledged, and shows it. On ' +
      'a frozen clock nothing happens until advance_clock.',
    method: 'POST',
    path: '/wait',
    in: { body: WaitRequest }
  },
  {
    name: 'send_payment',
    description:
      'Sends a valid request as the merchant, and shows the request and the answer. Without ' +
      'arguments it is a deposit that completes.',
    method: 'POST',
    path: '/send',
    in: { body: SendRequest },
    changes: true
  },
  {
    name: 'fail_next_payment',
    description:
      'Lets the next payment fail with a failure code, such as INSUFFICIENT_BALANCE; `times` ' +
      'lets more fail, and `when` selects them, such as { "kind": "payout" }.',
    method: 'POST',
    path: '/scenarios',
    in: { body: pick(NewScenario, 'fail', 'times', 'when') },
    preset: { times: 1 },
    changes: true
  },
  {
    name: 'add_scenario',
    description:
      'Adds a scenario: what the next payments come to, such as { "reject": "INVALID_AMOUNT" }, ' +
      '{ "fault": "lost" } or { "callback": { "duplicates": 1 } }.',
    method: 'POST',
    path: '/scenarios',
    in: { body: NewScenario },
    changes: true
  },
  {
    name: 'move_payment',
    description: 'Moves a payment to another status now, with its money and its callback.',
    method: 'POST',
    path: '/payments/{kind}/{id}/move',
    in: { path: PaymentPath, body: MoveRequest },
    changes: true
  },
  {
    name: 'send_callback',
    description:
      'Sends a callback about a payment: correct, stale, duplicate, or forged, such as ' +
      '{ "status": "COMPLETED", "wrongKey": true }. The payment does not change.',
    method: 'POST',
    path: '/payments/{kind}/{id}/callbacks',
    in: { path: PaymentPath, body: CallbackToSend },
    changes: true
  },
  {
    name: 'set_clock',
    description: 'Freezes, starts or sets the clock of the account.',
    method: 'PUT',
    path: '/clock',
    in: { body: ClockRequest },
    changes: true
  },
  {
    name: 'advance_clock',
    description:
      'Advances the clock, such as { "by": "15m" }. It answers after everything that became due ' +
      'has happened: payments have moved, callbacks were sent.',
    method: 'POST',
    path: '/clock/advance',
    in: { body: AdvanceRequest },
    changes: true
  },
  {
    name: 'reset',
    description:
      'Deletes the payments, callbacks, scenarios and changed settings of the account. `keep` ' +
      'names parts that stay.',
    method: 'POST',
    path: '/reset',
    in: { body: ResetRequest },
    changes: true
  }
]
