import t, { type Test } from 'tap'
import type { Connection, Engine } from '../../db/connection.ts'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'
import { requests } from '../support/examples.ts'
import { build, id, receiver, testMachine } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'

/** Contract of the storage engines: every engine passes every test. */

interface EngineRow {
  name: string
  options: { skip: string | false }
  /** Returns the setting of a new ledger. */
  place: (t: Test) => Promise<string>
}

const engines: EngineRow[] = [
  { name: 'SQLite', options: { skip: false }, place: async () => ':memory:' },
  {
    name: 'PostgreSQL',
    options: postgresOptions,
    place: async (t) => createSchema(t, (await openCluster()).url)
  }
]

const addPayment = `INSERT INTO payments
  (account, kind, id, parent, generation, created, details, plan)
  VALUES (?, ?, ?, ?, 'v2', ?, ?, '{}') ON CONFLICT DO NOTHING`

type Contract = (
  t: Test,
  parts: { engine: Engine; connection: Connection; database: Database }
) => Promise<void>

const contracts: Record<string, Contract> = {
  'values come back as they were stored': async (t, { connection, database }) => {
    const bytes = Buffer.from([0, 1, 127, 128, 255])
    const text = 'é\u{1f600} \\ \' " ? $1 \n'
    const found = await database.transact(() => {
      connection.prepare(addPayment).run(1, 2, bytes, null, Number.MAX_SAFE_INTEGER, text)
      return connection.prepare('SELECT account, id, parent, created, details FROM payments').all()
    })
    t.strictSame(
      found.map((row) => ({ ...(row as object) })),
      [{ account: 1, id: bytes, parent: null, created: Number.MAX_SAFE_INTEGER, details: text }]
    )
    const raw = connection.prepare('SELECT id, parent FROM payments').raw()
    t.strictSame(raw.all(), [[bytes, null]])
    t.strictSame(connection.prepare('SELECT created FROM payments').pluck().all(), [
      Number.MAX_SAFE_INTEGER
    ])
  },

  'a taken identifier is not stored again': async (t, { connection, database }) => {
    const bytes = Buffer.alloc(16, 7)
    const insert = connection.prepare(addPayment)
    const results = await database.transact(() =>
      [1, 1, 2].map((account) => insert.run(account, 1, bytes, null, 0, '{}'))
    )
    t.strictSame(
      results.map(({ changes }) => changes),
      [1, 0, 1]
    )
    t.strictSame(
      [results[0], results[2]].map(({ lastInsertRowid }) => Number(lastInsertRowid)),
      connection.prepare('SELECT seq FROM payments ORDER BY seq').pluck().all()
    )
  },

  'many rows of several tables are stored in one transaction': async (
    t,
    { connection, database }
  ) => {
    const insert = connection.prepare(addPayment)
    const queue = connection.prepare(
      'INSERT INTO due_queue (account, queue, due, subject) VALUES (?, ?, ?, ?)'
    )
    const text = 'a "quoted" \\ text, {braces} and é\u{1f600}'
    const seqs = await database.transact(() =>
      Array.from({ length: 1200 }, (_, n) => {
        const bytes = Buffer.from(n.toString(16).padStart(32, '0'), 'hex')
        const seq = Number(insert.run(1, 1, bytes, n % 2 === 0 ? null : n, n, text).lastInsertRowid)
        queue.run(1, 0, n, seq)
        return seq
      })
    )
    const stored = connection.prepare(
      'SELECT seq, parent, created, details FROM payments JOIN due_queue ON subject = seq ' +
        'WHERE due = created ORDER BY created'
    )
    t.strictSame(
      stored.raw().all(),
      seqs.map((seq, n) => [seq, n % 2 === 0 ? null : n, n, text])
    )
  },

  'changes see the rows that were stored before them': async (t, { connection, database }) => {
    const use = connection.prepare('INSERT INTO uses (account, scenario, count) VALUES (?, ?, ?)')
    const queue = connection.prepare(
      'INSERT INTO due_queue (account, queue, due, subject) VALUES (?, ?, ?, ?)'
    )
    const add = connection.prepare('UPDATE uses SET count = count + ? WHERE account = ?')
    const drop = connection.prepare('DELETE FROM due_queue WHERE account = ? AND subject = ?')
    await database.transact(() => {
      use.run(1, 'a', 10)
      queue.run(1, 0, 0, 1)
      add.run(1, 1)
      use.run(1, 'b', 20)
      queue.run(1, 0, 0, 2)
      drop.run(1, 1)
      add.run(100, 1)
      queue.run(1, 0, 0, 1)
      drop.run(1, 2)
    })
    const counts = connection.prepare('SELECT scenario, count FROM uses ORDER BY scenario').raw()
    t.strictSame(counts.all(), [
      ['a', 111],
      ['b', 120]
    ])
    t.strictSame(connection.prepare('SELECT subject FROM due_queue').pluck().all(), [1])
  },

  'work is done again when one of its identifiers is taken': async (
    t,
    { connection, database }
  ) => {
    const insert = connection.prepare(addPayment)
    const add = (n: number) => (): boolean =>
      insert.run(1, 1, Buffer.from([n]), null, 0, '{}').changes === 1
    t.equal(await database.transact(add(1)), true)
    const added = await Promise.all([2, 1, 3, 3].map((n) => database.transact(add(n))))
    t.strictSame(added, [true, false, true, false])
    t.equal(await database.transact(add(4)), true)
    const ids = connection.prepare('SELECT id FROM payments ORDER BY id').pluck().all()
    t.strictSame(
      ids,
      [1, 2, 3, 4].map((n) => Buffer.from([n]))
    )
  },

  'a read sees what earlier work of its batch has changed': async (t, { connection, database }) => {
    const insert = connection.prepare('INSERT INTO accounts (name) VALUES (?)')
    const find = connection.prepare<[string], { name: string }>(
      'SELECT name FROM accounts WHERE name = ?'
    )
    const read = (name: string): Promise<string | undefined> =>
      database.transact(() => find.get(name)?.name, {
        firstRead: { statement: find, parameters: [name] }
      })
    await database.transact(() => insert.run('a'))
    const [before, missing, , after, again] = await Promise.all([
      read('a'),
      read('b'),
      database.transact(() => insert.run('b')),
      read('b'),
      read('a')
    ])
    t.strictSame([before, missing, after, again], ['a', undefined, 'b', 'a'])
  },

  'text is ordered by its bytes': async (t, { connection, database }) => {
    const insert = connection.prepare('INSERT INTO accounts (name) VALUES (?)')
    await database.transact(() => ['b', 'é', 'B', 'a', '_', '1'].map((name) => insert.run(name)))
    const names = connection.prepare('SELECT name FROM accounts ORDER BY name').pluck()
    t.strictSame(names.all(), ['1', 'B', '_', 'a', 'b', 'é'])
  },

  'work that fails takes no other work with it': async (t, { connection, database }) => {
    const insert = connection.prepare('INSERT INTO accounts (name) VALUES (?)')
    const work = ['a', 'b', 'a', 'c'].map((name) => database.transact(() => insert.run(name)))
    const statuses = (await Promise.allSettled(work)).map(({ status }) => status)
    t.strictSame(statuses, ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    const names = connection.prepare('SELECT name FROM accounts ORDER BY name').pluck()
    t.strictSame(names.all(), ['a', 'b', 'c'])
  },

  'work that throws leaves nothing': async (t, { connection, database }) => {
    const insert = connection.prepare('INSERT INTO accounts (name) VALUES (?)')
    const half = database.transact(() => {
      insert.run('a')
      throw new Error('halfway')
    })
    await t.rejects(half, { message: 'halfway' })
    t.equal(connection.inTransaction, false)
    t.strictSame(connection.prepare('SELECT * FROM accounts').all(), [])
  },

  'a savepoint takes back a part of the work': async (t, { connection, database }) => {
    const insert = connection.prepare('INSERT INTO accounts (name) VALUES (?)')
    await database.transact(() => {
      insert.run('kept')
      connection.exec('SAVEPOINT part')
      insert.run('part')
      t.throws(() => {
        insert.run('kept')
        connection.exec('RELEASE part')
      })
      connection.exec('ROLLBACK TO part; RELEASE part')
      insert.run('after')
    })
    const names = connection.prepare('SELECT name FROM accounts ORDER BY name').pluck()
    t.strictSame(names.all(), ['after', 'kept'])
  },

  'columns and keys of tables are known': async (t, { connection }) => {
    const { dialect } = connection
    t.strictSame(dialect.listColumns(connection, 'uses'), ['account', 'scenario', 'count'])
    t.strictSame(dialect.listKeyColumns(connection, 'uses'), [
      { name: 'account', lowest: -1 },
      { name: 'scenario', lowest: '' }
    ])
  },

  'reserved numbers are not given to new rows': async (t, { connection, database }) => {
    const insert = connection.prepare(addPayment)
    const add = (n: number): number =>
      Number(insert.run(1, 1, Buffer.from([n]), null, 0, '{}').lastInsertRowid)
    const first = await database.transact(() => {
      add(1)
      return connection.dialect.reserveNumbers(connection, 'payments', 10)
    })
    const next = await database.transact(() => add(2))
    t.ok(next >= first + 10, `${next} comes after ${first} to ${first + 9}`)
    t.ok(first > 1)
  },

  'an error of a statement is not a fault of the storage': async (t, { database, connection }) => {
    const insert = connection.prepare('INSERT INTO accounts (name) VALUES (?)')
    const twice = database.transact(() => {
      insert.run('a')
      return insert.run('a').changes
    })
    const error = await twice.catch((reason: unknown) => reason)
    t.ok(error instanceof Error)
    t.equal(database.faults.isFault(error), false)
  }
}

for (const { name, options, place } of engines) {
  for (const [title, contract] of Object.entries(contracts)) {
    t.test(`${name}: ${title}`, options, async (t) => {
      const engine = await openEngine(await place(t))
      const database = new Database(engine)
      t.teardown(() => database.close())
      await contract(t, { engine, connection: engine.connection, database })
    })
  }

  t.test(`${name}: payments live, and reset, snapshot and restore work`, options, async (t) => {
    const { url: callbackUrl, received } = await receiver(t)
    const db = await place(t)
    const { call } = await build(t, { db, clock: 'frozen', callbackUrl }, testMachine())
    const deposit = { ...requests.v2.deposit!(), depositId: id() }
    const duplicates = await Promise.all(
      Array.from({ length: 20 }, () => call('POST', '/v2/deposits', deposit))
    )
    t.strictSame(duplicates.map(({ body }) => body.status).sort(), [
      'ACCEPTED',
      ...Array(19).fill('DUPLICATE_IGNORED')
    ])
    const payout = { ...requests.v2.payout!(), payoutId: id() }
    t.match(await call('POST', '/v2/payouts', payout), { body: { status: 'ACCEPTED' } })
    t.equal((await call('POST', '/__admin/snapshots', { name: 'before' })).status, 201)
    await call('POST', '/__admin/clock/advance', { by: '10m' })
    const wallets = (await call('GET', '/__admin/wallets')).body
    t.equal(received.length, 2, 'one callback for each payment')
    const statusOf = async (): Promise<string> =>
      (await call('GET', `/v2/deposits/${deposit.depositId}`)).body.data?.status ?? 'NOT_FOUND'
    t.equal(await statusOf(), 'COMPLETED')
    const unknown = `/v2/deposits/${id()}`
    const known = `/v2/deposits/${deposit.depositId}`
    const asked = [known, unknown, known, `/v2/payouts/${payout.payoutId}`, unknown]
    const found = await Promise.all(asked.map((path) => call('GET', path)))
    t.strictSame(
      found.map(({ body }) => body.data?.depositId ?? body.data?.payoutId ?? body.status),
      [deposit.depositId, 'NOT_FOUND', deposit.depositId, payout.payoutId, 'NOT_FOUND'],
      'payments that are asked for together'
    )

    t.equal((await call('POST', '/__admin/snapshots/before/restore')).status, 200)
    t.equal(await statusOf(), 'ACCEPTED')
    await call('POST', '/__admin/clock/advance', { by: '10m' })
    t.strictSame((await call('GET', '/__admin/wallets')).body, wallets)
    t.match((await call('GET', '/__admin/invariants')).body, { hold: true })
    t.match(await call('GET', '/__admin/callbacks?limit=10'), { status: 200 })

    await call('POST', '/__admin/reset', {})
    t.equal(await statusOf(), 'NOT_FOUND')
    t.match((await call('GET', '/__admin/invariants')).body, { hold: true })
  })
}
