import SQLite from 'better-sqlite3'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { SqliteEngine } from '../../db/sqlite/engine.ts'
import { ledgerVersion } from '../../db/schema.ts'
import { build, folder, until } from '../support/helper.ts'
import { deposit, run, serve } from '../support/process.ts'

t.test('the ledger file is created with its folders and keeps its data', async (t) => {
  const cwd = folder(t)
  const one = deposit()
  const first = await serve(t, ['--db', 'a/b/c.db'], { cwd })
  t.equal(first.ready.ledger, join(cwd, 'a/b/c.db'))
  await first.call('POST', '/v2/deposits', one)
  const before = await first.call('GET', `/v2/deposits/${one.depositId}`)
  t.match(await first.stop(), { code: 0 })
  t.same(
    readdirSync(join(cwd, 'a/b')),
    ['c.db'],
    'and nothing is left beside it once the server has stopped'
  )

  const second = await serve(t, ['--db', 'a/b/c.db'], { cwd })
  const after = await second.call('GET', `/v2/deposits/${one.depositId}`)
  t.match(after.body, {
    status: 'FOUND',
    data: { depositId: one.depositId, amount: '15.00', created: before.body.data.created }
  })
})

t.test('a start that fails closes the ledger', async (t) => {
  const cwd = folder(t)
  const db = join(cwd, 'ledger.db')
  const first = await build(t, { db })
  await first.app.close()
  const extend = (): never => {
    throw new Error('a plugin is missing')
  }
  await t.rejects(build(t, { db }, undefined, { extend }), /a plugin is missing/)
  t.same(readdirSync(cwd), ['ledger.db'], 'with its log')

  const connection = new SQLite(db)
  connection.exec('DROP TABLE keys')
  connection.close()
  await t.rejects(build(t, { db }), /no such table: keys/)
  t.same(readdirSync(cwd), ['ledger.db'])
})

t.test('a ledger in memory leaves no file', async (t) => {
  const cwd = folder(t)
  const { call, stop } = await serve(t, ['--db', ':memory:'], { cwd })
  await call('POST', '/v2/deposits', deposit())
  t.same(readdirSync(cwd), [])
  await stop()
  t.same(readdirSync(cwd), [])
})

t.test('the log is written back to the file as soon as nothing is to do', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const database = new Database(new SqliteEngine(db))
  t.teardown(() => database.close())
  await database.connection.exec('CREATE TABLE blobs (bytes BLOB)')
  const { size } = statSync(db)
  const bytes = 4 * 2 ** 20
  const add = database.connection.prepare('INSERT INTO blobs VALUES (zeroblob(?))')
  await database.write(undefined, () => add.run(bytes))
  t.equal(statSync(db).size, size, 'a commit writes to the log alone')
  await until(
    async () => statSync(db).size,
    (now) => now > size + bytes
  )
})

t.test('an empty file becomes a ledger', async (t) => {
  const db = join(folder(t), 'ledger.db')
  writeFileSync(db, '')
  new SqliteEngine(db).close()
  t.equal(sqlite(db, []), ledgerVersion)
})

/**
 * Files in place of the ledger, and their error messages. Each row can damage a ledger with some
 * payments.
 */
const unusable: Array<[what: string, put: (db: string, ledger: string) => void, said: RegExp]> = [
  [
    'a ledger of a newer version',
    (db, ledger) => {
      copyFileSync(ledger, db)
      sqlite(db, ['PRAGMA user_version = 999'])
    },
    new RegExp(
      String.raw`^the ledger \S+ was written by a newer momock \(schema 999, this one has ` +
        String.raw`\d+\); update momock, or name another file with --db$`
    )
  ],
  [
    'a ledger of an older version',
    (db, ledger) => {
      copyFileSync(ledger, db)
      sqlite(db, ['PRAGMA user_version = 7'])
    },
    new RegExp(
      String.raw`^the ledger \S+ was written by a momock before the first release \(schema 7, ` +
        String.raw`this one has \d+\); start with --fresh, which deletes it, or name another file`
    )
  ],
  [
    'a text',
    (db) => writeFileSync(db, 'Dear diary,\n'.repeat(1000)),
    /^\S+ is not a ledger and not a SQLite file; move it away, or name another file with --db$/
  ],
  [
    'a very short text',
    (db) => writeFileSync(db, 'x'),
    /^\S+ is not a ledger and not a SQLite file/
  ],
  [
    'another SQLite database',
    (db) => {
      sqlite(db, ['CREATE TABLE notes (text)'])
    },
    /^\S+ is a database, but not a momock ledger; name another file with --db$/
  ],
  [
    'another SQLite database with a version',
    (db) => {
      sqlite(db, ['CREATE TABLE notes (text)', `PRAGMA user_version = ${ledgerVersion}`])
    },
    /^\S+ is a database, but not a momock ledger/
  ],
  [
    'another SQLite database with a high version',
    (db) => {
      sqlite(db, ['CREATE TABLE notes (text)', 'PRAGMA user_version = 999'])
    },
    /^\S+ is a database, but not a momock ledger/
  ],
  [
    'half a ledger',
    (db, ledger) => {
      copyFileSync(ledger, db)
      truncateSync(db, Math.floor(statSync(db).size / 2))
    },
    new RegExp(
      String.raw`^the ledger \S+ is damaged \(database disk image is malformed\); move it away ` +
        String.raw`or restore a copy, or name another file with --db$`
    )
  ],
  [
    'a ledger with a hole in it',
    (db, ledger) => {
      const bytes = readFileSync(ledger)
      writeFileSync(
        db,
        bytes.fill(0xff, Math.floor(bytes.length * 0.6), Math.floor(bytes.length * 0.8))
      )
    },
    new RegExp(
      String.raw`^the ledger \S+ is damaged \(.+\); move it away or restore a copy, or name ` +
        String.raw`another file with --db$`
    )
  ],
  [
    'a ledger with a spoilt head',
    (db, ledger) => writeFileSync(db, readFileSync(ledger).fill(0xff, 16, 90)),
    /^the ledger \S+ is damaged \(file is not a database\)/
  ],
  ['a folder', (db) => mkdirSync(db), /^\S+ is a folder; name a file in it with --db$/],
  [
    'a way that leads through a file',
    (db) => writeFileSync(dirname(db), 'a file'),
    new RegExp(
      String.raw`^the ledger \S+ cannot be opened for writing \(E\w+: .*\); check the folder ` +
        String.raw`and its permissions, or name another file with --db$`
    )
  ]
]

t.test('an unusable file is refused with a reason and not changed', async (t) => {
  const ledger = await someLedger(t)
  for (const [what, put, said] of unusable) {
    const db = join(spoilt(t, what), 'ledger.db')
    put(db, ledger)
    const before = contents(dirname(db))
    t.throws(() => new SqliteEngine(db), { name: 'LedgerUnusable', message: said }, what)
    t.same(contents(dirname(db)), before, `${what}: nothing has changed`)
  }
})

t.test('the server prints only the reason', async (t) => {
  const ledger = await someLedger(t)
  await Promise.all(
    unusable
      .filter(([what]) => /newer|^a text|half/.test(what))
      .map(async ([what, put, said]) => {
        const db = join(spoilt(t, what), 'ledger.db')
        put(db, ledger)
        const before = contents(dirname(db))
        const { code, stdout, stderr } = await run(t, ['--port', '0', '--db', db])
        t.same({ code, stdout }, { code: 4, stdout: '' }, `${what}: the exit code`)
        t.match(stderr, /^momock cannot start: [^\n]*\n$/, `${what}: one sentence`)
        t.match(stderr.replace('momock cannot start: ', '').trim(), said, `${what}: the sentence`)
        t.same(contents(dirname(db)), before, `${what}: nothing has changed`)
      })
  )
})

/** Folder of a ledger. In one row it does not exist, because a file has its name. */
function spoilt (t: Test, what: string): string {
  const home = join(folder(t), 'home')
  if (!what.includes('through a file')) mkdirSync(home)
  return home
}

t.test('a ledger in use by another momock is refused', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const holder = await serve(t, ['--db', db])
  const one = deposit()
  await holder.call('POST', '/v2/deposits', one)
  t.match(await run(t, ['--port', '0', '--db', db]), {
    code: 4,
    stdout: '',
    stderr:
      `momock cannot start: the ledger ${db} is in use by another process; stop that one, or ` +
      'name another file with --db\n'
  })
  t.match(
    await holder.call('GET', `/v2/deposits/${one.depositId}`),
    { body: { status: /^FOUND$/ } },
    'the holder goes on'
  )
  t.match(await holder.call('POST', '/v2/deposits', deposit()), { body: { status: 'ACCEPTED' } })
  await holder.stop()
  await serve(t, ['--db', db])
})

/** A ledger that was used and closed in order. */
async function someLedger (t: Test): Promise<string> {
  const db = join(folder(t), 'ledger.db')
  const { call, app } = await build(t, { db })
  await Promise.all(Array.from({ length: 100 }, () => call('POST', '/v2/deposits', deposit())))
  await app.close()
  return db
}

/** Changes a database by hand, and returns its version. */
function sqlite (db: string, statements: string[]): unknown {
  const connection = new SQLite(db)
  try {
    for (const statement of statements) connection.exec(statement)
    return connection.pragma('user_version', { simple: true })
  } finally {
    connection.close()
  }
}

/** Every file of a folder with its bytes; or the bytes, if it is a file. */
function contents (path: string): unknown {
  if (!existsSync(path)) return null
  if (!statSync(path).isDirectory()) return readFileSync(path, 'base64')
  return Object.fromEntries(readdirSync(path).map((name) => [name, contents(join(path, name))]))
}

t.test('a server notices that its ledger file was deleted', async (t) => {
  const cwd = folder(t)
  const { call } = await serve(t, ['--db', 'ledger.db'], { cwd })
  t.equal((await call('POST', '/v2/deposits', deposit())).body.status, 'ACCEPTED')
  rmSync(join(cwd, 'ledger.db'))
  const { status } = await until(
    () => call('POST', '/v2/deposits', deposit()),
    ({ status }) => status !== 200
  )
  t.equal(status, 500, 'a payment that would be lost is not accepted')
})
