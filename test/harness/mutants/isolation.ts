import type { Mutant } from './mutant.ts'

/** Lookups that find the rows of any account. */

const without = (name: string, file: string, text: string, replacement: string): Mutant => ({
  name: `isolation-${name}`,
  file,
  text,
  replacement,
  tests: ['test/api/isolation.test.ts']
})

export const isolationMutants: readonly Mutant[] = [
  without(
    'status-of-any-payment',
    'db/payments.ts',
    'WHERE payments.account = ? AND kind = ? AND id = ?',
    'WHERE (payments.account = ? OR 1) AND kind = ? AND id = ?'
  ),
  without(
    'taken-payout-of-any-account',
    'db/payments.ts',
    'SELECT created FROM payments WHERE account = ? AND',
    'SELECT created FROM payments WHERE (account = ? OR 1) AND'
  ),
  without(
    'list-of-all-payments',
    'db/payment-search.ts',
    "{ sql: 'payments.account = ?', parameters: [account] }",
    "{ sql: '(payments.account = ? OR 1)', parameters: [account] }"
  ),
  without(
    'phone-of-any-payment',
    'db/payments.ts',
    '$' + '{ofAccount}\n        WHERE account = ?',
    '\n        WHERE (account = ? OR 1)'
  ),
  without(
    'provider-queue-of-all',
    'db/payments.ts',
    'WHERE provider_queue.account = ? AND provider',
    'WHERE (provider_queue.account = ? OR 1) AND provider'
  ),
  without(
    'wallet-of-any-account',
    'db/balances.ts',
    "FROM wallets WHERE account = ? AND ' +",
    "FROM wallets WHERE (account = ? OR 1) AND ' +"
  ),
  without(
    'callbacks-of-all',
    'db/callback-list.ts',
    "['callbacks.account = ?', account]",
    "['(callbacks.account = ? OR 1)', account]"
  ),
  without(
    'resend-of-any-callback',
    'db/outbox.ts',
    'FROM callbacks WHERE account = ? AND seq = ?',
    'FROM callbacks WHERE (account = ? OR 1) AND seq = ?'
  ),
  without(
    'scenario-uses-of-all',
    'db/scenario-uses.ts',
    "'SELECT scenario, count FROM uses WHERE account = ?'",
    "'SELECT scenario, count FROM uses WHERE (account = ? OR 1)'"
  ),
  without(
    'snapshot-of-any-account',
    'db/snapshots.ts',
    'FROM snapshots WHERE account = ? AND name = ?',
    'FROM snapshots WHERE (account = ? OR 1) AND name = ?'
  ),
  without(
    'one-journal',
    'src/monitoring/request-journal.ts',
    'let ring = this.#rings.get(account)\n    if (ring !== undefined && account',
    'account = 1\n    let ring = this.#rings.get(account)\n    if (ring !== undefined && account'
  ),
  without(
    'one-sink',
    'src/services/callback-sinks.ts',
    'function keyOf (account: number, name: string): string {',
    'function keyOf (account: number, name: string): string {\n  account = 0'
  )
]
