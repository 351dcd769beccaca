import t, { type Test } from 'tap'
import { SqlSnapshotFiles } from '../../db/snapshot-files.ts'
import { SnapshotGoneError } from '../../src/domain/account-tables.ts'
import { requests } from '../support/examples.ts'
import { build, type Mock } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'
import { loseConnectionAt } from './lost-answers.ts'
import { copyPayment, joinLedger, openWorkParts } from './servers.ts'

/** Exports of snapshots that fail before their end. */

const account = 1
/** Payments whose file is sent in several parts. */
const manyPayments = 5000

/** Starts a server with a snapshot of many payments. */
async function prepare (t: Test, servers: 'one' | 'many'): Promise<Mock & { db: string }> {
  const db = await createSchema(t, (await openCluster()).url)
  const mock = await build(t, { db, servers, clock: 'frozen' })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await copyPayment(db, manyPayments)
  await mock.call('POST', '/__admin/snapshots', { name: 'one' })
  return { ...mock, db }
}

/** When the connection is lost, and what the client sees. */
const losses: Array<{ moment: string; lost: [statement: string, times: number]; says: RegExp }> = [
  {
    moment: 'before the first part',
    lost: ['SELECT id, name, taken', 2],
    says: /^503 application\/json.*"code":"UNAVAILABLE"/
  },
  {
    moment: 'after some parts',
    lost: ['SELECT rowid', 20],
    says: /^200 application\/gzip ended early$/
  }
]

for (const servers of ['one', 'many'] as const) {
  for (const { moment, lost, says } of losses) {
    const name = `an export tells that the ledger was lost ${moment}, --servers ${servers}`
    t.test(name, postgresOptions, async (t) => {
      const { url, call } = await prepare(t, servers)
      loseConnectionAt(t, ...lost)
      const answer = await fetch(`${url}/__admin/snapshots/one/file`, {
        headers: { authorization: 'Bearer test-token' }
      })
      const text = await answer.text().catch(() => 'ended early')
      t.match(`${answer.status} ${answer.headers.get('content-type')} ${text}`, says)
      t.equal((await call('GET', '/__admin/snapshots/one/file')).status, 200, 'the next one works')
    })
  }
}

/** Calls that delete the rows of a snapshot. */
const deletions: Array<[name: string, ...call: Parameters<Mock['call']>]> = [
  ['deleted', 'DELETE', '/__admin/snapshots/one'],
  ['replaced', 'POST', '/__admin/snapshots', { name: 'one' }]
]

for (const [name, ...deletion] of deletions) {
  t.test(`an export fails if the snapshot is ${name} meanwhile`, postgresOptions, async (t) => {
    const { db, call } = await prepare(t, 'many')
    const { database } = await joinLedger(t, db)
    const files = new SqlSnapshotFiles(openWorkParts(database), () => [])
    const read = async (): Promise<void> => {
      let count = 0
      for await (const lines of files.readLines(account, 'one')) {
        if (lines.length > 0 && ++count === 3) await call(...deletion)
      }
    }
    await t.rejects(read(), SnapshotGoneError)
  })
}
