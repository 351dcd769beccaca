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
    'WHERE ledger = ? AND kind = ? AND id = ? ORDER',
    'WHERE (ledger = ? OR 1) AND kind = ? AND id = ? ORDER'
  ),
  without(
    'taken-payout-of-any-account',
    'db/payments.ts',
    'SELECT created FROM payments WHERE ledger = ? AND',
    'SELECT created FROM payments WHERE (ledger = ? OR 1) AND'
  ),
  without(
    'list-of-all-payments',
    'db/payment-search.ts',
    "{ sql: 'ledger = ?', parameters: [ledger] }",
    "{ sql: '(ledger = ? OR 1)', parameters: [ledger] }"
  ),
  without(
    'phone-of-any-payment',
    'db/payments.ts',
    '$' + '{ofLedger}\n        WHERE ledger = ?',
    '\n        WHERE (ledger = ? OR 1)'
  ),
  without(
    'provider-queue-of-all',
    'db/payments.ts',
    'WHERE provider_queue.ledger = ? AND provider',
    'WHERE (provider_queue.ledger = ? OR 1) AND provider'
  ),
  without(
    'wallet-of-any-account',
    'db/balances.ts',
    "FROM wallets WHERE ledger = ? AND ' +",
    "FROM wallets WHERE (ledger = ? OR 1) AND ' +"
  ),
  without(
    'callbacks-of-all',
    'db/callback-list.ts',
    "['callbacks.ledger = ?', this.#database.ledgerOf(account)]",
    "['(callbacks.ledger = ? OR 1)', this.#database.ledgerOf(account)]"
  ),
  without(
    'resend-of-any-callback',
    'db/outbox.ts',
    'FROM callbacks WHERE ledger = ? AND seq = ?',
    'FROM callbacks WHERE (ledger = ? OR 1) AND seq = ?'
  ),
  without(
    'scenario-uses-of-all',
    'db/scenario-uses.ts',
    "'SELECT scenario, count FROM uses WHERE ledger = ?'",
    "'SELECT scenario, count FROM uses WHERE (ledger = ? OR 1)'"
  ),
  without(
    'snapshot-of-any-account',
    'db/snapshots.ts',
    '} FROM snapshots WHERE account = ? AND name = ?',
    '} FROM snapshots WHERE (account = ? OR 1) AND name = ?'
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
