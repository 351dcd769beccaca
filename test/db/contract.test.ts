import t, { type Test } from 'tap'
import type { Connection, Engine } from '../../db/connection.ts'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'
import { requests } from '../support/examples.ts'
import { build, id, receiver, testMachine } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'
import { replaceRuns } from './session-runs.ts'

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

const paymentColumns = 'ledger kind id parent version created details plan'.split(' ')

/** Returns a function that stores a payment that may exist, and returns its number. */
function preparePayments (connection: Connection) {
  const insert = connection.prepareInsert('payments', paymentColumns, { ifNew: true })
  return (
    id: Buffer,
    { ledger = 1, parent = null as number | null, created = 0, details = '{}' } = {}
  ): Promise<number | undefined> => insert.add(ledger, 1, id, parent, 'v2', created, details, '{}')
}

/** Number of the last ledger: each account has its own. */
let ledgers = 0

/** Returns functions that store accounts and list their names. */
function openNames (connection: Connection) {
  const insert = connection.prepareInsert('accounts', ['name', 'state', 'ledger'])
  const addName = (name: string): void => insert.run(name, '{}', ++ledgers)
  const list = connection.prepare<[], string>('SELECT name FROM accounts ORDER BY name').pluck()
  return { addName, listNames: () => list.all() }
}

/** Counts the commits that succeed. */
function countCommits (t: Test, connection: Connection): { count: number } {
  const commits = { count: 0 }
  const { commit } = connection
  t.teardown(() => {
    connection.commit = commit
  })
  connection.commit = async () => {
    await commit.call(connection)
    commits.count++
  }
  return commits
}

type Contract = (
  t: Test,
  parts: { engine: Engine; connection: Connection; database: Database }
) => Promise<void>

const contracts: Record<string, Contract> = {
  'values come back as they were stored': async (t, { connection, database }) => {
    const bytes = Buffer.from([0, 1, 127, 128, 255])
    const details = 'é\u{1f600} \\ \' " ? $1 \n'
    const created = Number.MAX_SAFE_INTEGER
    const found = await database.write(undefined, async () => {
      await preparePayments(connection)(bytes, { created, details })
      return await connection
        .prepare('SELECT ledger, id, parent, created, details FROM payments')
        .all()
    })
    t.strictSame(
      found.map((row) => ({ ...(row as object) })),
      [{ ledger: 1, id: bytes, parent: null, created, details }]
    )
    const raw = connection.prepare('SELECT id, parent FROM payments').raw()
    t.strictSame(await raw.all(), [[bytes, null]])
    const first = connection.prepare('SELECT created FROM payments').pluck()
    t.strictSame([await first.all(), await first.get()], [[created], created])
    const none = connection.prepare('SELECT 1 FROM payments WHERE ledger = 2')
    t.strictSame([await none.all(), await none.get()], [[], undefined])
  },

  'a taken identifier is not stored again': async (t, { connection, database }) => {
    const bytes = Buffer.alloc(16, 7)
    const add = preparePayments(connection)
    const [first, again, other] = await database.write(undefined, () =>
      Promise.all([1, 1, 2].map((ledger) => add(bytes, { ledger })))
    )
    t.equal(again, undefined)
    t.strictSame(
      [first, other],
      await connection.prepare('SELECT seq FROM payments ORDER BY seq').pluck().all()
    )
  },

  'many rows of several tables are stored in one transaction': async (
    t,
    { connection, database }
  ) => {
    const add = preparePayments(connection)
    const queue = connection.prepareInsert('due_queue', ['ledger', 'queue', 'due', 'subject'])
    const details = 'a "quoted" \\ text, {braces} and é\u{1f600}'
    const payments = Array.from({ length: 1200 }, (_, created) => ({
      created,
      details,
      parent: created % 2 === 0 ? null : created
    }))
    const seqs = await database.write(undefined, async () => {
      const numbers: Array<number | undefined> = []
      for (const payment of payments) {
        const bytes = Buffer.from(payment.created.toString(16).padStart(32, '0'), 'hex')
        const seq = await add(bytes, payment)
        queue.run(1, 0, payment.created, seq)
        numbers.push(seq)
      }
      return numbers
    })
    const stored = connection.prepare(
      'SELECT seq, parent, created, details FROM payments JOIN due_queue ON subject = seq ' +
        'WHERE due = created ORDER BY created'
    )
    t.strictSame(
      await stored.raw().all(),
      payments.map(({ parent, created }, n) => [seqs[n], parent, created, details])
    )
  },

  'one call stores several rows': async (t, { connection, database }) => {
    const insert = connection.prepareInsert('uses', ['ledger', 'scenario', 'count'], { rows: 2 })
    await database.write(undefined, () => insert.run(1, 'a', 10, 1, 'b', 20))
    const uses = connection.prepare('SELECT scenario, count FROM uses ORDER BY scenario').raw()
    t.strictSame(await uses.all(), [
      ['a', 10],
      ['b', 20]
    ])
  },

  'changes see the rows that were stored before them': async (t, { connection, database }) => {
    const use = connection.prepareInsert('uses', ['ledger', 'scenario', 'count'])
    const queue = connection.prepareInsert('due_queue', ['ledger', 'queue', 'due', 'subject'])
    const add = connection.prepare('UPDATE uses SET count = count + ? WHERE ledger = ?')
    const drop = connection.prepare('DELETE FROM due_queue WHERE ledger = ? AND subject = ?')
    await database.write(undefined, () => {
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
    t.strictSame(await counts.all(), [
      ['a', 111],
      ['b', 120]
    ])
    t.strictSame(await connection.prepare('SELECT subject FROM due_queue').pluck().all(), [1])
  },

  'changed rows are counted': async (t, { connection, database }) => {
    const { addName, listNames } = openNames(connection)
    const rename = connection.prepare('UPDATE accounts SET name = name || ? WHERE name < ?')
    const remove = connection.prepare('DELETE FROM accounts WHERE name = ?')
    const counts = await database.write(undefined, async () => {
      for (const name of ['a', 'b', 'c']) addName(name)
      return [await rename.change('x', 'c'), await remove.change('c'), await remove.change('c')]
    })
    t.strictSame(counts, [2, 1, 0])
    t.strictSame(await listNames(), ['ax', 'bx'])
  },

  'work is done again when one of its identifiers is taken': async (
    t,
    { connection, database }
  ) => {
    const insert = preparePayments(connection)
    const add = async (n: number): Promise<boolean> =>
      (await database.write(undefined, () => insert(Buffer.from([n])))) !== undefined
    t.equal(await add(1), true)
    t.strictSame(await Promise.all([2, 1, 3, 3].map(add)), [true, false, true, false])
    t.equal(await add(4), true)
    const ids = connection.prepare('SELECT id FROM payments ORDER BY id').pluck()
    t.strictSame(
      await ids.all(),
      [1, 2, 3, 4].map((n) => Buffer.from([n]))
    )
  },

  'a read sees what earlier work of its batch has changed': async (t, { connection, database }) => {
    const { addName } = openNames(connection)
    const find = connection.prepare<[string], { name: string }>(
      'SELECT name FROM accounts WHERE name = ?'
    )
    // Of work that may change something: reads come first.
    const read = (name: string): Promise<string | undefined> =>
      database.write(undefined, async () => (await find.get(name))?.name, {
        firstRead: { statement: find, parameters: [name] }
      })
    await database.write(undefined, () => addName('a'))
    const [before, missing, , after, again] = await Promise.all([
      read('a'),
      read('b'),
      database.write(undefined, () => addName('b')),
      read('b'),
      read('a')
    ])
    t.strictSame([before, missing, after, again], ['a', undefined, 'b', 'a'])
  },

  'reads of one batch share a round trip': async (t, { connection, database }) => {
    const { addName } = openNames(connection)
    const names = ['a', 'b', 'c']
    await database.write(undefined, () => names.forEach(addName))
    const find = connection.prepare<[string], string>('SELECT name FROM accounts WHERE name = ?')
    const get = (name: string): Promise<string | undefined> => find.pluck().get(name)
    const ways: Array<[title: string, read: () => Promise<unknown>]> = [
      ['of one piece of work', () => database.read(undefined, () => Promise.all(names.map(get)))],
      [
        'of several',
        () =>
          Promise.all(
            names.map((name) =>
              database.read(undefined, () => get(name), {
                firstRead: { statement: find, parameters: [name] }
              })
            )
          )
      ]
    ]
    const most = connection.readAhead === undefined ? 0 : 1
    for (const [title, read] of ways) {
      let trips = 0
      const end = replaceRuns(t, ({ queries, send }) => {
        // Nobody waits for the end of a transaction that only reads.
        if (queries.some(({ text }) => text !== 'COMMIT')) trips++
        return send()
      })
      t.strictSame(await read(), names, title)
      end()
      t.equal(trips, most, `round trips ${title}`)
    }
  },

  'text is ordered by its bytes': async (t, { connection, database }) => {
    const { addName, listNames } = openNames(connection)
    await database.write(undefined, () => ['b', 'é', 'B', 'a', '_', '1'].forEach(addName))
    t.strictSame(await listNames(), ['1', 'B', '_', 'a', 'b', 'é'])
  },

  'work that fails takes no other work with it': async (t, { connection, database }) => {
    const { addName, listNames } = openNames(connection)
    const commits = countCommits(t, connection)
    const work = ['a', 'b', 'a', 'c'].map((name) => database.write(undefined, () => addName(name)))
    const statuses = (await Promise.allSettled(work)).map(({ status }) => status)
    t.strictSame(statuses, ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])
    t.equal(commits.count, 1, 'the others share a commit')
    t.strictSame(await listNames(), ['a', 'b', 'c'])
  },

  'a read that fails fails no other read': async (t, { connection, database }) => {
    const { addName, listNames } = openNames(connection)
    await database.write(undefined, () => addName('a'))
    const fail = async (): Promise<never> => {
      await listNames()
      throw new Error('halfway')
    }
    const reads = [listNames, fail, listNames].map((work) => database.read(undefined, work))
    const statuses = (await Promise.allSettled(reads)).map(({ status }) => status)
    t.strictSame(statuses, ['fulfilled', 'rejected', 'fulfilled'])
    t.equal(connection.inTransaction, false)
    await database.write(undefined, () => addName('b'))
    t.strictSame(await listNames(), ['a', 'b'])
  },

  'work that throws leaves nothing': async (t, { connection, database }) => {
    const { addName, listNames } = openNames(connection)
    const half = database.write(undefined, () => {
      addName('a')
      throw new Error('halfway')
    })
    await t.rejects(half, { message: 'halfway' })
    t.equal(connection.inTransaction, false)
    t.strictSame(await listNames(), [])
  },

  'a part that fails is taken back, and nothing else': async (t, { connection, database }) => {
    const { addName, listNames } = openNames(connection)
    await database.write(undefined, async () => {
      addName('kept')
      const part = (name: string): Promise<void> =>
        connection.withSavepoint(async () => {
          addName(`${name} 1`)
          addName(name)
        })
      await t.rejects(part('kept'), 'a statement fails')
      t.strictSame(await listNames(), ['kept'])
      await part('part')
      const thrown = connection.withSavepoint(async () => {
        addName('thrown')
        throw new Error('halfway')
      })
      await t.rejects(thrown, { message: 'halfway' })
      addName('after')
    })
    t.strictSame(await listNames(), ['after', 'kept', 'part', 'part 1'])
  },

  'columns and keys of tables are known': async (t, { connection }) => {
    const { dialect } = connection
    t.strictSame(await dialect.listColumns(connection, 'uses'), ['ledger', 'scenario', 'count'])
    t.strictSame(await dialect.listKeyColumns(connection, 'uses'), [
      { name: 'ledger', lowest: -1 },
      { name: 'scenario', lowest: '' }
    ])
  },

  'reserved numbers are not given to new rows': async (t, { connection, database }) => {
    const add = preparePayments(connection)
    const reserved = await database.write(undefined, async () => {
      await add(Buffer.from([1]))
      return await connection.reserveNumbers('payments', 10)
    })
    const next = await database.write(undefined, () => add(Buffer.from([2])))
    t.equal(reserved.length, 10)
    t.ok(next! > reserved[9], `${next} comes after ${reserved[9]}`)
    t.ok(reserved[0] > 1)
  },

  'an error of a statement is not a fault of the storage': async (t, { database, connection }) => {
    const { addName } = openNames(connection)
    const twice = database.write(undefined, () => {
      addName('a')
      addName('a')
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
