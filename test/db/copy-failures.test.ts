import SQLite from 'better-sqlite3'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { ledgerTableNames } from '../../db/account-rows.ts'
import { countRows } from '../../db/table-copy.ts'
import { runProgram } from '../../src/cli/run.ts'
import { runCommand } from '../support/command-runner.ts'
import { build, folder } from '../support/helper.ts'
import { createLedger } from '../support/ledgers.ts'
import {
  createSchema,
  openCluster,
  postgresOptions,
  runSql,
  withLedger
} from '../support/postgres.ts'
import { command } from '../support/process.ts'
import { startProgram, type Program } from '../support/program.ts'

/** Copies that end before they are complete, and what they print. */

const [failed, ledger] = [1, 4]

/** Number of deposits whose copy takes long enough to be interrupted. */
const manyDeposits = 20_000

/** Starts a copy in a process of its own. */
function startCopy (t: Test, cwd: string, to: string, before: string[] = []): Program {
  const [first, ...rest] = [...before, ...command(['copy', 'from.db', to])]
  return startProgram(t, [first, ...rest], { cwd })
}

/** Returns the tables of a ledger that have rows. */
async function listUsedTables (t: Test, db: string): Promise<string[]> {
  return await withLedger(t, db, (connection) =>
    ledgerTableNames.filter((table) => countRows(connection, table) > 0)
  )
}

const targets = [
  { name: 'a file', options: {}, place: async (_: Test, cwd: string) => join(cwd, 'to.db') },
  {
    name: 'PostgreSQL',
    options: postgresOptions,
    place: async (t: Test) => createSchema(t, (await openCluster()).url)
  }
]

for (const { name, options, place } of targets) {
  t.test(`an interrupted copy to ${name} leaves it empty`, options, async (t) => {
    const cwd = await createLedger(t, manyDeposits)
    const to = await place(t, cwd)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
      const copy = startCopy(t, cwd, to)
      await copy.prints(/accounts 1\n/)
      const outcome = await copy.stop(signal)
      if (signal === 'SIGKILL') t.equal(outcome.signal, signal)
      else {
        t.equal(outcome.code, failed)
        t.match(
          outcome.stderr,
          /^momock copy failed: it was interrupted; nothing was copied, and .* is still empty\n$/
        )
      }
      t.strictSame(await listUsedTables(t, to), [], `${signal} leaves no row`)
    }
  })
}

const hasLimits = spawnSync('prlimit', ['--version']).status === 0
const limitOptions = hasLimits ? {} : { skip: 'prlimit of util-linux is not installed' }

t.test('a copy to a full disk leaves the ledger empty', limitOptions, async (t) => {
  const cwd = await createLedger(t, 1000)
  const outcome = await startCopy(t, cwd, 'to.db', ['prlimit', '--fsize=500000']).end()
  t.equal(outcome.code, ledger)
  t.match(outcome.stderr, /to\.db cannot .*; nothing was copied, and to\.db is still empty; /)
  const again = await runCommand(t, ['copy', 'from.db', 'to.db'], { cwd })
  t.match(again, { code: 0, stderr: '' }, 'with room it is copied')
})

t.test('a row that the other engine changes is found', postgresOptions, async (t) => {
  const cwd = await createLedger(t)
  const to = await createSchema(t, (await openCluster()).url)
  const connection = new SQLite(join(cwd, 'from.db'))
  // PostgreSQL cannot store NUL in a text.
  connection.exec('UPDATE keys SET private_key = private_key || char(0)')
  connection.close()
  const outcome = await runCommand(t, ['copy', 'from.db', to], { cwd })
  t.equal(outcome.code, failed)
  t.match(outcome.stderr, /the rows of table keys differ after the copy; nothing was copied/)
  t.strictSame(await listUsedTables(t, to), [])
})

const ledgers = fileURLToPath(new URL('ledgers/', import.meta.url))

for (const dump of readdirSync(ledgers)) {
  t.test(`a ledger of ${dump} is copied and stays as it is`, async (t) => {
    const cwd = folder(t)
    const old = new SQLite(join(cwd, 'from.db'))
    old.exec(readFileSync(join(ledgers, dump), 'utf8'))
    old.pragma('journal_mode = WAL')
    old.close()
    const before = readFileSync(join(cwd, 'from.db'))
    t.match(await runCommand(t, ['copy', 'from.db', 'to.db'], { cwd }), { code: 0, stderr: '' })
    t.ok(before.equals(readFileSync(join(cwd, 'from.db'))), 'FROM has the same bytes')
    const { call } = await build(t, { db: join(cwd, 'to.db'), seed: 'fixture' })
    t.equal((await call('GET', '/__admin/payments')).body.payments.length, 7)
    t.match((await call('GET', '/__admin/invariants')).body, { hold: true })
  })
}

t.test('a terminal shows the progress in one line', async (t) => {
  const cwd = await createLedger(t, 1200)
  const [out, err] = [Object.assign(new PassThrough(), { isTTY: true }), new PassThrough()]
  const printed = text(out)
  t.equal(await runProgram(['copy', 'from.db', 'to.db'], { out, err, env: {}, folder: cwd }), 0)
  out.end()
  const lines = (await printed).replaceAll('\u001B[K', '').split('\n')
  const payments = lines.find((line) => line.includes('payments 50 of 1,200'))
  t.equal(
    payments,
    [
      ...['50', '150', '350', '750'].map((rows) => `payments ${rows} of 1,200`),
      'payments 1,200'
    ].join('\r')
  )
  t.ok(lines.some((line) => line.includes('\rcomparing payments 50 of 1,200\r')))
  t.match(lines.at(-2), /^from\.db and to\.db have the same rows; from\.db is unchanged$/)
})

t.test('PGPASSWORD gives the password', postgresOptions, async (t) => {
  const { url } = await openCluster()
  const schema = await createSchema(t, url)
  const name = new URL(schema).searchParams.get('options')?.replace('-csearch_path=', '')
  await runSql(
    url,
    `CREATE ROLE guarded LOGIN PASSWORD 'right';
    GRANT ALL ON SCHEMA ${name} TO guarded`
  )
  t.teardown(() => runSql(url, 'DROP OWNED BY guarded; DROP ROLE guarded'))
  const words = ['copy', 'from.db', schema.replace('momock@', 'guarded@')]
  const cwd = await createLedger(t)
  const copy = startProgram(t, command(words, { PGPASSWORD: 'right' }), { cwd })
  t.match(await copy.end(), { code: 0, stderr: '' })
})
