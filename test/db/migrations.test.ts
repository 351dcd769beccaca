import SQLite from 'better-sqlite3'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { ledgerVersion } from '../../db/ledger-version.ts'
import { migrations } from '../../db/sqlite/schema.ts'
import { build, folder } from '../support/helper.ts'
import { ledgerSchema } from '../../tools/schema.ts'

/**
 * Ledgers of released schemas, as SQL dumps of small files that the releases wrote. Each has the
 * same seven payments, a snapshot, and callbacks to a receiver that does not answer.
 */
const ledgers = fileURLToPath(new URL('ledgers/', import.meta.url))

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** Payments of the ledgers: kind, number and status. The clock is frozen at 12:01:00. */
const stored: Array<[kind: string, n: number, status: string]> = [
  ['deposit', 1, 'COMPLETED'],
  ['deposit', 2, 'FAILED'],
  ['payout', 3, 'COMPLETED'],
  ['refund', 4, 'ACCEPTED'],
  ['checkout', 5, 'WAITING_PAYMENT'],
  ['deposit', 6, 'ACCEPTED'],
  ['deposit', 7, 'ACCEPTED']
]

for (const file of readdirSync(ledgers)) {
  t.test(`a ledger of ${file} opens and keeps its payments`, async (t) => {
    const db = join(folder(t), 'ledger.db')
    const old = new SQLite(db)
    old.exec(readFileSync(join(ledgers, file), 'utf8'))
    t.ok(Number(old.pragma('user_version', { simple: true })) < migrations.length)
    old.close()

    const { call } = await build(t, { db, seed: 'fixture' })
    const statusOf = async ([kind, n]: (typeof stored)[number]): Promise<string> =>
      (await call('GET', `/__admin/payments/${kind}/${id(n)}`)).body.status
    for (const row of stored) t.equal(await statusOf(row), row[2], `${row[0]} ${row[1]}`)
    t.match((await call('GET', '/__admin/clock')).body, {
      mode: 'frozen',
      now: '2026-01-31T12:01:00.000Z'
    })

    const { body } = await call('GET', '/__admin/callbacks')
    const before = body.callbacks.map(({ attempts }: any) => attempts.length)
    t.ok(before.length > 0 && before.every((attempts: number) => attempts > 0), 'callbacks')
    await call('POST', '/__admin/clock/advance', { by: '1m' })
    for (const [kind, n] of [
      ['refund', 4],
      ['deposit', 6],
      ['deposit', 7]
    ] as const) {
      t.equal(await statusOf([kind, n, '']), 'COMPLETED', `${kind} ${n} goes on to its end`)
    }
    const later = (await call('GET', '/__admin/callbacks')).body.callbacks
    t.ok(later[0].attempts.length > before[0], 'a pending callback is tried again')

    t.equal((await call('POST', '/__admin/snapshots/before/restore')).status, 200)
    t.equal(await statusOf(stored[3]), 'ACCEPTED', 'the snapshot can be restored')
    t.match((await call('GET', '/__admin/invariants')).body, { hold: true })
  })
}

t.test('the schema of a new ledger is the result of all migrations', async (t) => {
  t.equal(ledgerVersion, migrations.length, 'the version in the files of snapshots')
  const current = readFileSync(
    new URL('../../db/sqlite/current-schema.json', import.meta.url),
    'utf8'
  )
  t.equal(current, ledgerSchema(), 'npm run schema writes it')
})
