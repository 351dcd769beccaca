import SQLite from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { applicationId } from '../../db/sqlite/ledger-file.ts'
import { runCommand } from '../support/command-runner.ts'
import { makeLong } from '../support/full.ts'
import { build } from '../support/helper.ts'
import { createLedger } from '../support/ledgers.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'

/** Copies that are refused: nothing changes. */

const [configuration, ledger] = [2, 4]

function runSqlite (path: string, ...sql: string[]): void {
  const connection = new SQLite(path)
  for (const statement of sql) connection.exec(statement)
  connection.close()
}

interface Refusal {
  what: string
  args: string[]
  prepare?: (cwd: string, t: Test) => unknown
  code: number
  says: RegExp
}

const refusals: Refusal[] = [
  {
    what: 'an address of something else',
    args: ['from.db', 'mysql://momock:secret@127.0.0.1/momock'],
    code: configuration,
    says: /^momock copy cannot run:\s+a ledger is a file, or postgres:\/\/USER@HOST\/DATABASE\s*$/
  },
  {
    what: 'no ledger',
    args: [],
    code: configuration,
    says: /name two ledgers: momock copy FROM TO/
  },
  {
    what: 'three ledgers',
    args: ['from.db', 'to.db', 'more.db'],
    code: configuration,
    says: /name two ledgers: momock copy FROM TO/
  },
  {
    what: 'an unknown flag',
    args: ['from.db', 'to.db', '--force'],
    code: configuration,
    says: /--force/
  },
  {
    what: 'a ledger in memory',
    args: ['from.db', ':memory:'],
    code: configuration,
    says: /a ledger in memory cannot be copied; name a file or postgres:/
  },
  {
    what: 'one ledger twice, through a link',
    args: ['from.db', 'link.db'],
    prepare: (cwd) => symlinkSync('from.db', join(cwd, 'link.db')),
    code: configuration,
    says: /FROM and TO are the same ledger; name another one for TO/
  },
  {
    what: 'a missing file',
    args: ['nothing.db', 'to.db'],
    code: ledger,
    says: /there is no ledger in .*nothing\.db; name another file\n/
  },
  {
    what: 'an empty file',
    args: ['empty.db', 'to.db'],
    prepare: (cwd) => writeFileSync(join(cwd, 'empty.db'), ''),
    code: ledger,
    says: /there is no ledger in .*empty\.db; name another file\n/
  },
  {
    what: 'a text file',
    args: ['notes.txt', 'to.db'],
    prepare: (cwd) => writeFileSync(join(cwd, 'notes.txt'), 'remember the milk'),
    code: ledger,
    says: /notes\.txt is not a ledger and not a SQLite file; move it away, or name another file\n/
  },
  {
    what: 'a database of another program',
    args: ['other.db', 'to.db'],
    prepare: (cwd) => runSqlite(join(cwd, 'other.db'), 'CREATE TABLE invoices (id)'),
    code: ledger,
    says: /other\.db is a database, but not a momock ledger; name another file\n/
  },
  {
    what: 'a ledger of a newer version',
    args: ['from.db', 'to.db'],
    prepare: (cwd) => runSqlite(join(cwd, 'from.db'), 'PRAGMA user_version = 999'),
    code: ledger,
    says: /from\.db was written by a newer momock \(schema 999, .*\); update momock/
  },
  {
    what: 'a newer ledger as TO',
    args: ['from.db', 'to.db'],
    prepare: (cwd) =>
      runSqlite(
        join(cwd, 'to.db'),
        'CREATE TABLE payments (seq)',
        `PRAGMA application_id = ${applicationId}`,
        'PRAGMA user_version = 999'
      ),
    code: ledger,
    says: /to\.db was written by a newer momock \(schema 999, .*\); update momock/
  },
  {
    what: 'a folder as TO',
    args: ['from.db', 'to'],
    prepare: (cwd) => mkdirSync(join(cwd, 'to')),
    code: ledger,
    says: /to is a folder; name a file in it\n/
  },
  {
    what: 'FROM of a running server',
    args: ['from.db', 'to.db'],
    prepare: (cwd, t) => build(t, { db: join(cwd, 'from.db') }),
    code: ledger,
    says: /from\.db is in use by another process; stop that one/
  },
  {
    what: 'TO of a running server',
    args: ['from.db', 'to.db'],
    prepare: (cwd, t) => build(t, { db: join(cwd, 'to.db') }),
    code: ledger,
    says: /to\.db is in use by another process; stop that one/
  },
  {
    what: 'a used TO',
    args: ['from.db', 'to.db'],
    prepare: async (cwd, t) => {
      t.equal((await runCommand(t, ['copy', 'from.db', 'to.db'], { cwd })).code, 0)
    },
    code: ledger,
    says: /to\.db is a ledger that was used already \(accounts: 1, payments: 1\).*; name a new file/
  }
]

for (const { what, args, prepare, code, says } of refusals) {
  t.test(`a copy is refused: ${what}`, async (t) => {
    const cwd = await createLedger(t)
    await prepare?.(cwd, t)
    const read = (): string[] => args.map((name) => hashFile(join(cwd, name)))
    const before = read()
    const outcome = await runCommand(t, ['copy', ...args], { cwd })
    t.equal(outcome.code, code)
    t.match(outcome.stderr, says)
    t.equal(outcome.stdout, '')
    t.strictSame(read(), before, 'nothing has changed')
  })
}

interface DatabaseRefusal {
  what: string
  /** Returns FROM and TO; the ledger `from.db` can be one of them. */
  places: (t: Test, url: string) => Promise<[from: string, to: string]>
  says: RegExp
}

const databaseRefusals: DatabaseRefusal[] = [
  {
    what: 'a database without a ledger',
    places: async (t, url) => [await createSchema(t, url), 'to.db'],
    says: /there is no ledger in postgres:\/\/momock@.*; name another database\n/
  },
  {
    what: 'a database of another program as TO',
    places: async (t, url) => {
      const schema = await createSchema(t, url)
      await runSql(schema, 'CREATE TABLE invoices (id INT)')
      return ['from.db', schema]
    },
    says: /has tables, but it is not a momock ledger; name another database, or another schema/
  },
  {
    what: 'a wrong password',
    places: async (t, url) => {
      await runSql(url, "CREATE ROLE guarded LOGIN PASSWORD 'right'")
      t.teardown(() => runSql(url, 'DROP ROLE guarded'))
      return ['from.db', url.replace('momock@', 'guarded:secret@')]
    },
    says: /PostgreSQL refuses the user or the password for postgres:\/\/guarded:\[hidden\]@/
  },
  {
    what: 'FROM of a running server in a database',
    places: async (t, url) => {
      const schema = await createSchema(t, url)
      await build(t, { db: schema })
      return [schema, 'to.db']
    },
    says: /is in use by another momock; stop that one, or name another database\n/
  },
  {
    what: 'a used database as TO',
    places: async (t, url) => {
      const schema = await createSchema(t, url)
      const { app } = await build(t, { db: schema })
      await app.close()
      return ['from.db', schema]
    },
    says: /is a ledger that was used already \(accounts: 1, payments: 0\).*or a database or a /
  }
]

for (const [n, { what, places, says }] of databaseRefusals.entries()) {
  const options = n < 2 ? postgresOptions : makeLong(postgresOptions)
  t.test(`a copy is refused: ${what}`, options, async (t) => {
    const cwd = await createLedger(t)
    const words = await places(t, (await openCluster()).url)
    const outcome = await runCommand(t, ['copy', ...words], { cwd })
    t.equal(outcome.code, ledger)
    t.match(outcome.stderr, says)
    t.notMatch(outcome.stderr, /secret/)
    t.equal(existsSync(join(cwd, 'to.db')), false)
  })
}

function hashFile (path: string): string {
  if (!existsSync(path) || path.endsWith('/to')) return 'none'
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
