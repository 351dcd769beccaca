import SQLite from 'better-sqlite3'
import { createApp } from './app.js'
import { deposit, initiation } from './schemas.js'

/**
 * The minimal store: the bare app that also writes each deposit to disk, in the obvious way. The
 * requests of one turn of the event loop share a commit, and are answered after it. It has no
 * rules, no states, no money and no callbacks: what momock does per request beyond this is its own.
 */

/** @typedef {{ depositId: string }} Deposit */
/** @typedef {{ deposit: Deposit, resolve: (isNew: boolean) => void }} Waiting */

const db = new SQLite(process.argv[3])
db.pragma('journal_mode = WAL')
db.pragma('synchronous = FULL')
db.pragma('wal_autocheckpoint = 4000')
db.exec('CREATE TABLE deposits (seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, details TEXT)')
const insert = db.prepare('INSERT INTO deposits (id, details) VALUES (?, ?) ON CONFLICT DO NOTHING')
const begin = db.prepare('BEGIN IMMEDIATE')
const commit = db.prepare('COMMIT')

/** @type {Waiting[]} */
let waiting = []

function commitWaiting () {
  const batch = waiting
  waiting = []
  begin.run()
  const results = batch.map(
    ({ deposit }) =>
      insert.run(Buffer.from(deposit.depositId.replaceAll('-', ''), 'hex'), JSON.stringify(deposit))
        .changes === 1
  )
  commit.run()
  for (const [i, { resolve }] of batch.entries()) resolve(results[i])
}

/**
 * Stores a deposit with the others of this turn; false if its identifier is known.
 * @param {Deposit} deposit
 * @returns {Promise<boolean>}
 */
function store (deposit) {
  return new Promise((resolve) => {
    if (waiting.push({ deposit, resolve }) === 1) setImmediate(commitWaiting)
  })
}

const app = createApp()

app.post(
  '/v2/deposits',
  { schema: { body: deposit, response: { 200: initiation } } },
  async ({ body }) => {
    const deposit = /** @type {Deposit} */ (body)
    const created = new Date().toISOString()
    const isNew = await store(deposit)
    return {
      depositId: deposit.depositId,
      status: isNew ? 'ACCEPTED' : 'DUPLICATE_IGNORED',
      nextStep: 'FINAL_STATUS',
      created
    }
  }
)

process.on('SIGTERM', () => process.exit(0))
const url = await app.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1' })
process.stdout.write(`${JSON.stringify({ url })}\n`)
