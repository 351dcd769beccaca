import t, { type Test } from 'tap'
import { requests } from '../support/examples.ts'
import { build, until, type Mock } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'
import { loseConnectionAt } from './lost-answers.ts'
import { copyPayment } from './servers.ts'

/** Exports of snapshots that fail before their end. */

/** Payments whose file is sent in several parts. */
const manyPayments = 5000

/** Starts a server with a snapshot of many payments. */
async function prepare (t: Test): Promise<Mock & { db: string }> {
  const db = await createSchema(t, (await openCluster()).url)
  const mock = await build(t, { db, clock: 'frozen' })
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await copyPayment(db, manyPayments)
  await mock.call('POST', '/__admin/snapshots', { name: 'one' })
  return { ...mock, db }
}

/** When the connection is lost, and what the client sees. */
const losses: Array<{ moment: string; lost: [statement: string, times: number]; says: RegExp }> = [
  {
    moment: 'before the first part',
    lost: ['SELECT name, taken', 2],
    says: /^503 application\/json.*"code":"UNAVAILABLE"/
  },
  {
    moment: 'after some parts',
    lost: ['SELECT seq, kind, id', 20],
    says: /^200 application\/gzip ended early$/
  }
]

for (const { moment, lost, says } of losses) {
  t.test(`an export tells that the ledger was lost ${moment}`, postgresOptions, async (t) => {
    const { url, call } = await prepare(t)
    loseConnectionAt(t, ...lost)
    const answer = await fetch(`${url}/__admin/snapshots/one/file`, {
      headers: { authorization: 'Bearer test-token' }
    })
    const text = await answer.text().catch(() => 'ended early')
    t.match(`${answer.status} ${answer.headers.get('content-type')} ${text}`, says)
    const exportAgain = () => call('GET', '/__admin/snapshots/one/file')
    await until(exportAgain, ({ status }) => status === 200)
  })
}
