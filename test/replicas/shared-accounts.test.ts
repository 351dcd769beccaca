import t, { type Test } from 'tap'
import { Database } from '../../db/database.ts'
import { SqlDueQueue } from '../../db/due-queue.ts'
import { openEngine } from '../../db/open-engine.ts'
import { shareLedger } from '../../db/postgres/share-ledger.ts'
import { SqlScenarioUses } from '../../db/scenario-uses.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { replaceRuns } from '../db/session-runs.ts'
import { requests } from '../support/examples.ts'
import { makeLong } from '../support/full.ts'
import { build, id } from '../support/helper.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { serveMany } from './servers.ts'

/** Accounts that several servers open and change. */

/** Keeps the next answer of a transaction that only reads. `held` resolves when it is there. */
function holdAnswer (t: Test): { held: Promise<void>; release: () => void } {
  const held = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const end = replaceRuns(t, async ({ queries, send }) => {
    if (!queries.some(({ text }) => text.startsWith('SELECT check_ledger'))) return await send()
    end()
    const results = await send()
    held.resolve()
    await released.promise
    return results
  })
  return { held: held.promise, release: released.resolve }
}

t.test('a new token counts in the next request on another server', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const [one, other] = [
    await build(t, { db, servers: 'many', clock: 'frozen' }),
    await build(t, { db, servers: 'many', clock: 'frozen' })
  ]
  const check = async (token: string): Promise<number> => {
    const headers = { authorization: `Bearer ${token}` }
    return (await other.app.http.inject({ url: `/v2/deposits/${id()}`, headers })).statusCode
  }
  const { held, release } = holdAnswer(t)
  const first = check('nobody')
  await held
  const made = await one.call('POST', '/__admin/accounts', {
    name: 'shop',
    tokens: [{ token: 'token-of-shop' }]
  })
  t.equal(made.status, 201)
  const second = check('token-of-shop')
  release()
  t.equal(await first, 401)
  t.equal(await second, 200)
})

/** Joins the servers of a ledger. `adopted` has the accounts that it learns of. */
async function join (t: Test, db: string) {
  const database = new Database(await openEngine(db, true))
  const shared = await shareLedger(database, { systemClock, firstClock: () => undefined })
  const accounts = shared.openAccounts({
    uses: new SqlScenarioUses(database),
    dueQueue: new SqlDueQueue(database)
  })
  t.teardown(async () => {
    await shared.leases.leave()
    await database.close()
  })
  await accounts.listAccounts()
  const adopted: number[] = []
  accounts.listenForChanges(({ id }) => adopted.push(id))
  return { database, accounts, adopted }
}

t.test('accounts that are not stored are not adopted', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const [one, other] = [await join(t, db), await join(t, db)]
  const isStored = async (id: number): Promise<boolean> =>
    (await runSql(db, `SELECT 1 FROM accounts WHERE id = ${id}`)).length === 1
  // All of one turn of the event loop, so that they would share a transaction.
  const failure = new Error('this work fails')
  await Promise.allSettled([
    one.accounts.openAccount('sandbox-one'),
    one.accounts.createAccount(() => ({ name: 'shop' }) as never),
    one.database.write(undefined, () => {
      throw failure
    }),
    one.accounts.createAccount(() => {
      throw failure
    })
  ])
  for (const id of one.adopted) t.ok(await isStored(id), `account ${id}`)
  const id = await other.accounts.openAccount('sandbox-two')
  await one.accounts.readChanges()
  t.ok(one.adopted.includes(id), 'the next change is learned')
})

t.test('servers open no more sandbox accounts than allowed', postgresOptions, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const limit = 5
  const start = () => build(t, { db, servers: 'many', clock: 'frozen', sandboxLimit: limit })
  const servers = [await start(), await start(), await start()]
  const open = async (n: number): Promise<number> => {
    const headers = { authorization: `Bearer sandbox-${n}` }
    const { app } = servers[n % servers.length]
    return (await app.http.inject({ url: '/v2/wallet-balances', headers })).statusCode
  }
  const statuses = await Promise.all(Array.from({ length: 24 }, (_, n) => open(n)))
  t.equal(statuses.filter((status) => status === 200).length, limit)
  t.equal(statuses.filter((status) => status === 401).length, statuses.length - limit)
  const { body } = await servers[0].call('GET', '/__admin/accounts')
  t.equal(body.accounts.filter(({ origin }: any) => origin === 'sandbox').length, limit)
})

t.test('an identifier is repeated while accounts change', makeLong(postgresOptions), async (t) => {
  const { servers } = await serveMany(t, 3)
  const end = new AbortController()
  const changes = servers.map(async ({ call }, n) => {
    for (let i = 0; !end.signal.aborted; i++) {
      const state = i % 2 === 0 ? 'CLOSED' : 'OPERATIONAL'
      const body = { REMITTANCE: state }
      await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', body, `sandbox-changed-${n}`)
    }
  })
  const answers: Record<string, number> = {}
  for (let round = 0; round < 60; round++) {
    const payouts = Array.from({ length: 3 }, () => requests.v2.payout!())
    await Promise.all(
      payouts.map(async (body) => {
        const sent = servers.map(({ call }) => call('POST', '/v2/payouts', body))
        const statuses = (await Promise.all(sent)).map(({ body }) => body.status)
        const text = statuses.sort().join()
        answers[text] = (answers[text] ?? 0) + 1
      })
    )
  }
  end.abort()
  await Promise.all(changes)
  t.strictSame(answers, { 'ACCEPTED,DUPLICATE_IGNORED,DUPLICATE_IGNORED': 180 })
})
