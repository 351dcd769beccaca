import { isolationMutants } from './isolation.ts'
import type { Mutant } from './mutant.ts'

/** Every mutant. The first word of a name is the guarantee or the feature that it breaks. */

const callbacks = 'test/simulator/callbacks.test.ts'
const deposits = 'test/api/deposits.test.ts'
const payments = 'test/api/payments.test.ts'
const invariants = 'test/admin/invariants.test.ts'
const scenarios = 'test/simulator/scenarios.test.ts'
const journal = 'test/admin/journal.test.ts'
const sinks = 'test/admin/sink.test.ts'
const signedRequests = 'test/security/signed-requests.test.ts'
const signedCallbacks = 'test/security/signed-callbacks.test.ts'
const ready = 'test/cli/ready.test.ts'
const crash = 'test/harness/crash.test.ts'

const guarantees: Mutant[] = [
  {
    name: 'once-duplicate-accepted-again',
    file: 'db/ledger.ts',
    text: "if (first !== undefined) return { outcome: 'DUPLICATE', payment: first }",
    replacement: '',
    tests: [payments]
  },
  {
    name: 'stored-synchronous-off',
    file: 'db/sqlite/ledger-file.ts',
    text: 'synchronous = FULL',
    replacement: 'synchronous = OFF',
    tests: [crash]
  },
  {
    name: 'stored-answer-before-commit',
    file: 'db/database.ts',
    text: ': { value: await job.work() })\n',
    replacement: ': { value: await job.work() })\n        job.resolve(undefined as never)\n',
    tests: ['test/db/group-commit.test.ts']
  },
  {
    name: 'stored-one-bad-job-rejects-its-group',
    file: 'db/database.ts',
    text: 'if (jobs.length > 1 && !inSavepoints) return',
    replacement: 'if (inSavepoints) return',
    tests: ['test/db/group-commit.test.ts']
  },
  {
    name: 'stored-bad-job-is-committed',
    file: 'db/database.ts',
    text: 'if (this.connection.inTransaction) await this.connection.rollback()',
    replacement: 'if (this.connection.inTransaction) await this.connection.commit()',
    tests: ['test/db/group-commit.test.ts']
  },
  {
    name: 'callback-not-stored-with-the-final-state',
    file: 'db/state-changes.ts',
    text: 'for (const callback of callbacks) await outbox.addCallback(payment, callback)',
    replacement: '',
    tests: [callbacks]
  },
  {
    name: 'callback-lost-in-a-restart',
    file: 'db/outbox.ts',
    text: '? this.#lost.all()',
    replacement: '? []',
    tests: ['test/db/crash.test.ts']
  },
  {
    name: 'status-completed-may-become-failed',
    file: 'src/domain/status.ts',
    text: "['COMPLETED', 'FAILED']\n  },\n  queueing",
    replacement: "['COMPLETED', 'FAILED'],\n    COMPLETED: ['FAILED']\n  },\n  queueing",
    tests: ['test/simulator/transitions.test.ts']
  },
  {
    name: 'status-completed-is-not-final',
    file: 'src/domain/status.ts',
    text: "const finalStatuses: readonly Status[] = [\n  'COMPLETED',",
    replacement: 'const finalStatuses: readonly Status[] = [',
    tests: [deposits]
  },
  {
    name: 'status-history-goes-back-in-time',
    file: 'simulator/transitions.ts',
    text: 'last = Math.max(last, move.at)',
    replacement: 'last = move.at',
    tests: [invariants]
  },
  {
    name: 'money-half-a-posting',
    file: 'db/balances.ts',
    text: 'this.#enter.run(id, from, payment, at, -amount,',
    replacement: 'this.#enter.run(id, from, payment, at, 0,',
    tests: [invariants]
  },
  {
    name: 'money-failed-payout-keeps-its-reserve',
    file: 'src/domain/money.ts',
    text: "return { from: 'reserved', to: 'available' }",
    replacement: 'return undefined',
    tests: [payments]
  },
  {
    name: 'money-wallet-below-zero',
    file: 'simulator/decide.ts',
    text: 'toHundredths(amount) <= available',
    replacement: 'toHundredths(amount) <= Infinity',
    tests: [payments]
  },
  {
    name: 'ready-before-the-simulator-runs',
    file: 'src/server.ts',
    text: 'await app.start(port)',
    replacement: '',
    tests: [ready]
  },
  {
    name: 'ready-before-its-address-is-known',
    file: 'src/server.ts',
    text: 'app.links.base = baseOf(config.publicUrl ?? url)',
    replacement: '',
    tests: [ready]
  },
  {
    name: 'seed-error-identifiers-by-arrival',
    file: 'src/lib/ids.ts',
    text: "const key = this.#digest('request', ...request).slice(0, 16)",
    replacement: "const key = ''",
    tests: ['test/api/error-ids.test.ts']
  },
  {
    name: 'seed-random-transaction-number',
    file: 'src/lib/ids.ts',
    text: 'return scramble(`',
    replacement: 'return scramble(Math.random() + `',
    tests: ['test/harness/determinism.test.ts']
  },
  {
    name: 'seed-random-probability',
    file: 'src/lib/ids.ts',
    text: "return Number.parseInt(this.#digest('chance', text).slice(0, 12), 16) / 2 ** 48",
    replacement: 'return Math.random()',
    tests: [scenarios]
  }
]

const callbackMutants: Mutant[] = [
  {
    name: 'retries-any-answer-acknowledges',
    file: 'simulator/retries.ts',
    text: 'status !== undefined && status >= 200 && status < 300',
    replacement: 'status !== undefined',
    tests: [callbacks]
  },
  {
    name: 'retries-no-second-attempt',
    file: 'simulator/retries.ts',
    text: "return due > end ? { state: 'EXHAUSTED' }",
    replacement: "return due > 0 ? { state: 'EXHAUSTED' }",
    tests: [callbacks]
  },
  {
    name: 'retries-never-exhausted',
    file: 'simulator/retries.ts',
    text: 'return due > end ?',
    replacement: 'return due > Infinity ?',
    tests: ['test/simulator/retries.test.ts']
  },
  {
    name: 'retries-without-growing-delay',
    file: 'simulator/retries.ts',
    text: 'firstDelayMs * 2 ** delivery.attempts',
    replacement: 'firstDelayMs',
    tests: ['test/simulator/retries.test.ts']
  },
  {
    name: 'clock-jump-not-noticed',
    file: 'simulator/ticker.ts',
    text: 'const longestSleepMs = 1000',
    replacement: 'const longestSleepMs = 2 ** 31 - 1',
    tests: ['test/simulator/ticker.test.ts']
  },
  {
    name: 'sinks-kept-without-limit',
    file: 'src/services/callback-sinks.ts',
    text: '(this.#bytes.get(account) ?? 0) > maxBytesOfAccount',
    replacement: 'false',
    tests: [sinks]
  },
  {
    name: 'sinks-ignore-ordered-answers',
    file: 'src/services/callback-sinks.ts',
    text: 'sink.orders.answers.shift() ?? sink.orders.then',
    replacement: 'sink.orders.then',
    tests: [sinks]
  }
]

const signatureMutants: Mutant[] = [
  {
    name: 'signature-digest-not-compared',
    file: 'src/security/digest.ts',
    text: 'if (value !== wanted) {',
    replacement: 'if (value === undefined) {',
    tests: [signedRequests]
  },
  {
    name: 'signature-never-expires',
    file: 'src/security/explanation.ts',
    text: 'now > expires * 1000',
    replacement: 'now > Infinity',
    tests: [signedRequests]
  },
  {
    name: 'signature-body-need-not-be-covered',
    file: 'src/security/explanation.ts',
    text: 'if (body.length > 0 && !covered) {',
    replacement: 'if (body.length < 0) {',
    tests: [signedRequests]
  },
  {
    name: 'signature-not-required',
    file: 'routes/http/signature.ts',
    text: 'if (explanation.valid) {',
    replacement: 'if (explanation !== undefined) {',
    tests: [signedRequests]
  },
  {
    name: 'signature-wrong-key-for-callbacks',
    file: 'simulator/callback-sender.ts',
    text: 'fault.wrongKey === true ? keys.wrongKey : keys.signing',
    replacement: 'keys.wrongKey',
    tests: [signedCallbacks]
  },
  {
    name: 'signature-component-twice',
    file: 'src/security/received.ts',
    text: 'names.indexOf(name) < index',
    replacement: 'names.indexOf(name) < 0',
    tests: [signedRequests]
  }
]

const ruleMutants: Mutant[] = [
  {
    name: 'rules-amount-before-phone-number',
    file: 'src/domain/rules.ts',
    text: '    refusePhoneNumber(facts) ??\n    refuseAmount(facts) ??\n',
    replacement: '    refuseAmount(facts) ??\n    refusePhoneNumber(facts) ??\n',
    tests: ['test/api/rule-order.test.ts']
  },
  {
    name: 'amounts-minimum-is-refused',
    file: 'src/domain/rules.ts',
    text: 'Number(amount) < Number(limits.min)',
    replacement: 'Number(amount) <= Number(limits.min)',
    tests: ['test/api/amount-limits.test.ts']
  },
  {
    name: 'amounts-maximum-is-refused',
    file: 'src/domain/rules.ts',
    text: 'Number(amount) > Number(limits.max)',
    replacement: 'Number(amount) >= Number(limits.max)',
    tests: ['test/api/amount-limits.test.ts']
  },
  {
    name: 'amounts-trailing-zeroes-are-free',
    file: 'src/domain/amount.ts',
    text: '\\d{1,2})?$/ }',
    replacement: '\\d{1,2}0*)?$/ }',
    tests: [deposits]
  },
  {
    name: 'amounts-cut-instead-of-rounded',
    file: 'src/domain/amount.ts',
    text: 'Math.round(Number(amount) * 100)',
    replacement: 'Math.floor(Number(amount) * 100)',
    tests: ['test/api/amount-limits.test.ts']
  },
  {
    name: 'refunds-more-than-is-left',
    file: 'src/domain/refunds.ts',
    text: 'if (toHundredths(amount) > left) {',
    replacement: 'if (toHundredths(amount) > toHundredths(deposit.details.amount)) {',
    tests: [payments]
  },
  {
    name: 'refunds-two-at-a-time',
    file: 'src/domain/refunds.ts',
    text: 'if (inFlight !== undefined) {',
    replacement: 'if (inFlight === null) {',
    tests: [payments]
  },
  {
    name: 'refunds-of-open-deposits',
    file: 'src/domain/refunds.ts',
    text: "if (to !== 'COMPLETED') {",
    replacement: "if (to === 'FAILED') {",
    tests: [payments]
  },
  {
    name: 'refunds-failed-ones-count',
    file: 'src/domain/refunds.ts',
    text: ".filter((refund) => stateAt(refund, now).to === 'COMPLETED')",
    replacement: '.filter((refund) => isFinal(stateAt(refund, now).to))',
    tests: [payments]
  },
  {
    name: 'splits-more-than-the-amount',
    file: 'src/domain/splits.ts',
    text: 'if (sum > toHundredths(whole.amount)) {',
    replacement: 'if (sum > Infinity) {',
    tests: [payments]
  },
  {
    name: 'splits-payout-identifier-twice',
    file: 'src/domain/splits.ts',
    text: 'seen.has(id) || facts',
    replacement: 'facts',
    tests: [payments]
  },
  {
    name: 'scenarios-used-more-often-than-times',
    file: 'src/scenarios/scenario-selection.ts',
    text: 'used(counter) >= times',
    replacement: 'used(counter) > times',
    tests: [scenarios]
  },
  {
    name: 'scenarios-file-before-added',
    file: 'src/scenarios/scenario-selection.ts',
    text: 'const rule = firstReady(added, input.kind.name, input, context, uses)',
    replacement: 'const rule = undefined as Scenario | undefined',
    tests: ['test/admin/steering.test.ts']
  },
  {
    name: 'fields-of-bodies-without-limit',
    file: 'routes/http/body.ts',
    text: 'if (hasTooManyFields(text)) {',
    replacement: "if (hasTooManyFields('')) {",
    tests: ['test/api/depth.test.ts']
  },
  {
    name: 'advance-not-interrupted',
    file: 'simulator/account-turns.ts',
    text: 'this.#interrupters.get(account)?.(by)',
    replacement: '',
    tests: ['test/simulator/interruption.test.ts']
  },
  {
    name: 'copy-that-a-crash-interrupted-stays',
    file: 'src/build/storage.ts',
    text: 'if (!isShared) await ledgerNumbers.endCopies()',
    replacement: '',
    tests: ['test/db/large-accounts.test.ts']
  },
  {
    name: 'account-changes-while-it-is-copied',
    file: 'db/database.ts',
    text: 'if (account === undefined || !this.#held.has(account)) return false',
    replacement: 'if (account === undefined || account >= 0) return false',
    tests: ['test/db/large-accounts.test.ts']
  },
  {
    name: 'answer-of-a-stranger-is-believed',
    file: 'src/servers/forward.ts',
    text: "if (!this.#isProved(proof)) this.giveUp('unreachable')\n    else if",
    replacement: 'if',
    tests: ['test/replicas/passing-on.test.ts']
  },
  {
    name: 'waiting-payment-leaves-its-queue',
    file: 'db/state-changes.ts',
    text: "moves.at(-1)?.to === 'ENQUEUED'",
    replacement: 'moves.length < 0',
    tests: ['test/admin/outages.test.ts']
  },
  {
    name: 'depth-of-bodies-without-limit',
    file: 'routes/http/body.ts',
    text: 'if (!isTooDeep(text)) return',
    replacement: 'return',
    tests: ['test/api/depth.test.ts']
  },
  {
    name: 'depth-of-matchers-without-limit',
    file: 'src/verification/body-comparison.ts',
    text: 'if (depth > maxDepth) {',
    replacement: 'if (depth > Infinity) {',
    tests: [journal]
  },
  {
    name: 'journal-without-limit-of-an-account',
    file: 'src/monitoring/request-journal.ts',
    text: '(ring.size > 0 && ring.length + length > mostOfAccount)',
    replacement: 'false',
    tests: [journal]
  },
  {
    name: 'journal-without-limit-of-all',
    file: 'src/monitoring/request-journal.ts',
    text: 'while (this.#length + length > mostOfAll && this.#dropIdle()) {',
    replacement: 'while (false) {',
    tests: [journal]
  },
  {
    name: 'journal-keeps-long-bodies',
    file: 'src/monitoring/request-journal.ts',
    text: 'return text.length <= longestText ? text :',
    replacement: 'return text.length >= 0 ? text :',
    tests: [journal]
  }
]

/** A change of answers and the OpenAPI document at once. Only the vendor's contract differs. */
const contractMutants: Mutant[] = [
  {
    name: 'contract-times-in-milliseconds',
    file: 'src/lib/clock.ts',
    text: '  return lastSecond.text\n',
    replacement: "  return lastSecond.text.replace('Z', '.000Z')\n",
    tests: ['test/api/duplicates.test.ts']
  }
]

export const mutants: readonly Mutant[] = [
  ...guarantees,
  ...callbackMutants,
  ...signatureMutants,
  ...ruleMutants,
  ...contractMutants,
  ...isolationMutants
]
