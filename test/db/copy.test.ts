import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ledgerTableNames } from '../../db/account-rows.ts'
import type { Connection } from '../../db/connection.ts'
import { copyLedger } from '../../db/ledger-copy.ts'
import { openEngine } from '../../db/open-engine.ts'
import { Channel } from '../../db/postgres/channel.ts'
import { longTransaction } from '../../db/postgres/timeouts.ts'
import { countRows } from '../../db/table-copy.ts'
import type { Generation } from '../../src/domain/api-version.ts'
import { kinds, type KindName } from '../../src/domain/kinds.ts'
import { runCommand } from '../support/command-runner.ts'
import { documentOf } from '../support/document.ts'
import { prefix, requests } from '../support/examples.ts'
import { makeLong } from '../support/full.ts'
import { buildFrozen, fillLedger, tokens } from '../support/ledgers.ts'
import { folder, receiver, type Mock } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, withLedger } from '../support/postgres.ts'

/** `momock copy`: a server on the copy cannot be told from a server on the original. */

/** Directions of a copy. Each begins with a ledger that is equal to the original. */
const directions: Array<{
  name: string
  options: object
  from: (t: Test, original: string) => Promise<string>
  to: (t: Test) => Promise<string>
}> = [
  {
    name: 'SQLite to SQLite',
    options: {},
    from: async (_, original) => original,
    to: createFile
  },
  {
    name: 'SQLite to PostgreSQL',
    options: postgresOptions,
    from: async (_, original) => original,
    to: createDatabase
  },
  {
    name: 'PostgreSQL to SQLite',
    options: makeLong(postgresOptions),
    from: copyToDatabase,
    to: createFile
  },
  {
    name: 'PostgreSQL to PostgreSQL',
    options: postgresOptions,
    from: copyToDatabase,
    to: createDatabase
  }
]

async function copyToDatabase (t: Test, original: string): Promise<string> {
  const db = await createDatabase(t)
  t.equal((await runCommand(t, ['copy', original, db])).code, 0)
  return db
}

async function createFile (t: Test): Promise<string> {
  return join(folder(t), 'ledger.db')
}

async function createDatabase (t: Test): Promise<string> {
  return await createSchema(t, (await openCluster()).url)
}

/** Addresses that never end, have new identifiers, or tell about the process or its requests. */
const others =
  /^\/__admin\/(events|examples|metrics|rates|bundle|docs|openapi.json|requests.*|coverage|lint)$/

/** Returns the answers to all status checks, and to everything that can be listed. */
async function readAnswers ({ app, call, url }: Mock): Promise<Record<string, string>> {
  const { paths } = await documentOf(app)
  const lists = Object.keys(paths).filter(
    (path) => paths[path].get !== undefined && !path.includes('{') && !others.test(path)
  )
  const answers: Record<string, string> = {}
  for (const token of tokens) {
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await call('GET', '/__admin/payments?limit=1000', undefined, headers)
    const payments = body.payments.flatMap(({ kind, id, generation }: any) => [
      `${prefix[generation as Generation]}/${kinds[kind as KindName].path}/${id}`,
      `/__admin/payments/${kind}/${id}`
    ])
    const snapshots = ['/__admin/snapshots/middle', '/__admin/snapshots/middle/file']
    const readAnswer = async (path: string): Promise<void> => {
      const response = await fetch(url + path, { headers })
      const bytes = Buffer.from(await response.arrayBuffer()).toString('latin1')
      answers[`${token} ${path}`] = `${response.status} ${bytes}`
    }
    await Promise.all([...lists, ...payments, ...snapshots].map(readAnswer))
  }
  return answers
}

/** Reads all answers of a server, and the numbers of rows that it adds then. */
async function observe (t: Test, db: string): Promise<[Record<string, string>, unknown]> {
  const mock = await buildFrozen(t, db)
  const answers = await readAnswers(mock)
  const headers = { authorization: 'Bearer sandbox-b' }
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!(), headers)
  await mock.call('POST', '/__admin/clock/advance', { by: '10m' }, headers)
  await mock.app.close()
  return [answers, await withLedger(t, db, readLastNumbers)]
}

t.test('a server on a copy gives the same answers', async (t) => {
  const original = await createFile(t)
  const merchant = await receiver(t, [200, 500, 200, 404])
  await fillLedger(t, original, merchant.url)
  const empty = await withLedger(t, original, (connection) =>
    ledgerTableNames.filter((table) => countRows(connection, table) === 0)
  )
  t.strictSame(empty, [], 'every table has rows')
  const used = await createFile(t)
  copyFileSync(original, used)
  const [answers, numbers] = await observe(t, used)

  for (const { name, options, from, to } of directions) {
    await t.test(name, options, async (t) => {
      const [source, target] = [await from(t, original), await to(t)]
      const { code, stdout, stderr } = await runCommand(t, ['copy', source, target])
      t.strictSame([code, stderr], [0, ''])
      const lines = stdout.split('\n').map((line) => line.replace(/[\d,]+$/, 'N'))
      t.strictSame(
        lines.slice(0, ledgerTableNames.length),
        ledgerTableNames.map((table) => `${table.replaceAll('_', ' ')} N`),
        'a line for each table'
      )
      t.match(stdout, /^copied \d+ rows of \d+ tables in \d+\.\d s \(accounts 3, payments \d+, /m)
      const [found, next] = await observe(t, target)
      t.strictSame(
        Object.keys(answers).filter((path) => found[path] !== answers[path]),
        [],
        `${Object.keys(answers).length} answers`
      )
      t.strictSame(next, numbers, 'new rows get the next numbers')
    })
  }
})

/** Returns the highest numbers of tables whose numbers other rows refer to. */
function readLastNumbers (connection: Connection): unknown {
  return connection
    .prepare(
      `SELECT (SELECT max(seq) FROM payments) AS payments, (SELECT max(id) FROM wallets) AS wallets,
      (SELECT max(seq) FROM callbacks) AS callbacks, (SELECT max(seq) FROM entries) AS entries`
    )
    .get()
}

t.test('the transactions of a copy may wait for each other', postgresOptions, async (t) => {
  const { send } = Channel.prototype
  let long = 0
  Channel.prototype.send = function (request) {
    const queries = request.kind === 'run' ? request.queries : []
    long += queries.filter(({ text }) => text === longTransaction).length
    return send.call(this, request)
  }
  t.teardown(() => {
    Channel.prototype.send = send
  })
  const [from, to] = [await createDatabase(t), await createDatabase(t)]
  ;(await openEngine(from)).close()
  await copyLedger(
    { db: from, name: 'FROM' },
    { db: to, name: 'TO' },
    { report: () => {}, reportWait: () => {}, signal: new AbortController().signal }
  )
  t.equal(long, 2, 'that of each ledger')
})
