import t, { type Test } from 'tap'
import { SqlDueQueue } from '../../db/due-queue.ts'
import { makeLong } from '../support/full.ts'
import { build, patient, until } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { deposit } from '../support/process.ts'
import { serveShared } from './servers.ts'

/** Callbacks that are sent before the answer, by another server than the one that answers. */

/** Status checks that a server answers while a request waits. */
const checks = 20

/** Makes the next advance of a server in this process wait, after it has set its target. */
function holdNextAdvance (t: Test, isReady: () => Promise<unknown>): void {
  const { listQueuesOf } = SqlDueQueue.prototype
  const restore = (): void => {
    SqlDueQueue.prototype.listQueuesOf = listQueuesOf
  }
  SqlDueQueue.prototype.listQueuesOf = async function (account) {
    restore()
    await isReady()
    return await listQueuesOf.call(this, account)
  }
  t.teardown(restore)
}

const options = makeLong(postgresOptions)

t.test('the answer waits for a callback of another server', options, async (t) => {
  const { url, next } = await patient(t)
  const db = await createSchema(t, (await openCluster()).url)
  const mover = await serveShared(t, db, ['--callback-url', url])
  // Its work of the account is the first one, so it keeps the queues.
  await mover.call('POST', '/v2/deposits', deposit())
  ;(await next()).answer(200)
  const { call } = await build(t, { db, servers: 'many', callbackUrl: url, clock: 'running' })
  const early = { name: 'early', callback: { beforeAnswer: true } }
  await call('POST', '/__admin/scenarios', early)

  holdNextAdvance(t, () =>
    until(
      () => runSql(db, 'SELECT seq FROM callbacks'),
      ({ length }) => length === 2
    )
  )
  const { depositId } = deposit()
  let isAnswered = false
  const answer = call('POST', '/v2/deposits', deposit(depositId)).then((answer) => {
    isAnswered = true
    return answer
  })
  const callback = await next()
  t.match(callback.body, { depositId, status: 'COMPLETED' })
  for (let n = 0; n < checks; n++) await call('GET', `/v2/deposits/${depositId}`)
  t.notOk(isAnswered, 'the receiver has not answered yet')
  callback.answer(200)
  t.match(await answer, { status: 200, body: { status: 'ACCEPTED' } })
})
