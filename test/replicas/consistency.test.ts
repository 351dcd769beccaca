import t from 'tap'
import { requests } from '../support/examples.ts'
import { id, until } from '../support/helper.ts'
import { postgresOptions } from '../support/postgres.ts'
import { deposit, type Answer } from '../support/process.ts'
import { countBy, fillWallet, listBroken, sendAll, serveMany } from './servers.ts'

/** Decisions of servers that share a ledger: none is made from something that is outdated. */

t.test('uses of a scenario are counted once over all servers', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const rows: Array<[string, object, Record<string, number>]> = [
    [
      'times',
      { times: 7, when: { kind: 'deposit' }, fail: 'UNKNOWN_ERROR' },
      { COMPLETED: 53, FAILED: 7 }
    ],
    [
      'every',
      { every: 3, when: { kind: 'deposit' }, fail: 'UNKNOWN_ERROR' },
      { COMPLETED: 40, FAILED: 20 }
    ],
    [
      'sequence',
      { sequence: ['fail', 'fail', 'complete'], repeat: true },
      { COMPLETED: 20, FAILED: 40 }
    ]
  ]
  for (const [name, scenario, expected] of rows) {
    t.equal(
      (await servers[0].call('POST', '/__admin/scenarios', { name, ...scenario })).status,
      201
    )
    const ids = Array.from({ length: 60 }, () => id())
    await sendAll(
      servers,
      ids.map((one) => ['POST', '/v2/deposits', deposit(one)])
    )
    const statuses = async (): Promise<string[]> =>
      (
        await sendAll(
          servers,
          ids.map((one) => ['GET', `/v2/deposits/${one}`])
        )
      ).map(({ body }) => body.data.status)
    const final = await until(statuses, (all) => all.every((one) => /COMPLETED|FAILED/.test(one)))
    t.strictSame(countBy(final), expected, name)
    await servers[1].call('DELETE', `/__admin/scenarios/${name}`)
  }
})

t.test('lists have the order in which payments were sent', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const ids = Array.from({ length: 30 }, () => id())
  for (const [n, one] of ids.entries()) {
    await servers[n % 3].call('POST', '/v2/deposits', deposit(one))
  }
  const { body } = await servers[0].call('GET', '/__admin/payments?limit=100')
  const listed = body.payments.map((payment: { id: string }) => payment.id)
  t.strictSame(listed, ids)
})

t.test('money is spent once, whichever servers get the requests', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  await fillWallet(servers[0], '100')
  const payouts = await sendAll(
    servers,
    Array.from({ length: 45 }, () => [
      'POST',
      '/v2/payouts',
      { ...requests.v2.payout!(), amount: '10' }
    ])
  )
  t.equal(countBy(payouts.map(({ body }) => body.status)).ACCEPTED, 10, 'payouts of a wallet')

  const paid = deposit()
  await servers[0].call('POST', '/v2/deposits', { ...paid, amount: '100' })
  await until(
    async () => (await servers[0].call('GET', `/v2/deposits/${paid.depositId}`)).body.data.status,
    (status) => status === 'COMPLETED'
  )
  await fillWallet(servers[1], '1000')
  const refunds = await sendAll(
    servers,
    Array.from({ length: 45 }, () => [
      'POST',
      '/v2/refunds',
      { refundId: id(), depositId: paid.depositId, amount: '10', currency: 'ZMW' }
    ])
  )
  t.equal(
    countBy(refunds.map(({ body }) => body.status)).ACCEPTED,
    1,
    'one refund of a deposit at a time'
  )
  t.strictSame(await listBroken(servers[2]), [])
})

t.test('a name and a token belong to one account on all servers', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const create = async (settings: object): Promise<Answer[]> =>
    await sendAll(
      servers,
      Array.from({ length: 12 }, () => ['POST', '/__admin/accounts', settings])
    )
  const nameless = await create({})
  t.strictSame(
    nameless.map(({ body }) => body.name).sort(),
    Array.from({ length: 12 }, (_, n) => `account-${n + 1}`).sort(),
    'each account has a generated name of its own'
  )
  for (const [what, settings] of Object.entries({
    name: { name: 'shop' },
    token: { tokens: [{ token: 'only-one' }] }
  })) {
    const made = countBy((await create(settings)).map(({ status }) => String(status)))
    t.strictSame(made, { 201: 1, 409: 11 }, `a ${what} is given once`)
  }
  const changed = await Promise.all(
    nameless.map(({ body }, n) =>
      servers[n % 3].call(
        'PATCH',
        '/__admin/account',
        { tokens: [body.settings.tokens[0], { token: 'a-new-one' }] },
        body.settings.tokens[0].token
      )
    )
  )
  t.strictSame(countBy(changed.map(({ status }) => String(status))), { 200: 1, 409: 11 })
})

t.test('changes of one account at once are all kept', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 2)
  for (let round = 0; round < 10; round++) {
    const parts = [
      { companyName: `Shop ${round}` },
      { callbacks: { deposits: `https://shop.example/${round}` } },
      { signedCallbacks: round % 2 === 0 },
      { tokens: [{ token: `token-${round}` }, { token: 'test-token' }] }
    ]
    await sendAll(
      servers,
      parts.map((part) => ['PATCH', '/__admin/account', part])
    )
    const wanted = Object.assign({}, ...parts)
    for (const { call } of servers) {
      t.match((await call('GET', '/__admin/account')).body.settings, wanted)
      const token = `token-${round}`
      t.equal((await call('GET', '/v2/wallet-balances', undefined, token)).status, 200, token)
      const old = `token-${round - 1}`
      t.equal((await call('GET', '/v2/wallet-balances', undefined, old)).status, 401, old)
    }
  }
})

t.test('a reset is between the requests of all servers', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const sent = new Map<string, { began: number; ended: number }>()
  const load = new AbortController()
  const clients = Array.from({ length: 6 }, async (_, n) => {
    for (let i = 0; !load.signal.aborted; i++) {
      const depositId = id()
      const began = performance.now()
      const { body } = await servers[(n + i) % 3].call('POST', '/v2/deposits', deposit(depositId))
      t.equal(body.status, 'ACCEPTED')
      sent.set(depositId, { began, ended: performance.now() })
    }
  })
  const resets: Array<{ began: number; ended: number }> = []
  for (let n = 0; n < 6; n++) {
    await until(
      async () => sent.size,
      (size) => size > 30 * (n + 1)
    )
    const began = performance.now()
    t.equal((await servers[n % 3].call('POST', '/__admin/reset')).status, 200)
    resets.push({ began, ended: performance.now() })
  }
  await until(
    async () => sent.size,
    (size) => size > 240
  )
  load.abort()
  await Promise.all(clients)
  const last = resets[resets.length - 1]
  const ids = [...sent.keys()]
  const found = await sendAll(
    servers,
    ids.map((one) => ['GET', `/v2/deposits/${one}`])
  )
  const wrong = ids.filter((one, i) => {
    const isFound = found[i].body.status === 'FOUND'
    const { began, ended } = sent.get(one)!
    return (isFound && ended < last.began) || (!isFound && began > last.ended)
  })
  t.strictSame(wrong, [], 'payments before the last reset are gone, those after it are there')
  t.strictSame(await listBroken(servers[0]), [])
})

t.test('a snapshot of one server is restored by another under load', postgresOptions, async (t) => {
  const { servers } = await serveMany(t, 3)
  const load = new AbortController()
  const clients = Array.from({ length: 4 }, async (_, n) => {
    for (let i = 0; !load.signal.aborted; i++) {
      await servers[(n + i) % 3].call('POST', '/v2/deposits', deposit())
    }
  })
  const count = async (): Promise<number> =>
    (await servers[0].call('GET', '/__admin/payments?limit=1000')).body.payments.length
  await until(count, (payments) => payments > 20)
  const taken = await servers[0].call('POST', '/__admin/snapshots', { name: 'start' })
  t.equal(taken.status, 201)
  await until(count, (payments) => payments > taken.body.payments + 20)
  load.abort()
  await Promise.all(clients)
  t.equal((await servers[1].call('POST', '/__admin/snapshots/start/restore')).status, 200)
  t.equal(await count(), taken.body.payments, 'as many payments as in the snapshot')
  t.strictSame(await listBroken(servers[2]), [])
})
