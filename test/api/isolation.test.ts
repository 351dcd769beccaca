import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Ids } from '../../src/lib/ids.ts'
import { isFull } from '../support/full.ts'
import { build, testMachine, type Mock } from '../support/helper.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { serverCount } from '../support/servers.ts'

/**
 * Many accounts at the same time, each with its own sequence. None sees another, and each ends as
 * it would alone.
 */

const crowd = isFull ? 200 : 20
/** Number of accounts that are repeated alone on a server. */
const alone = 6
const names = Array.from({ length: crowd }, (_, n) => `sandbox-iso-${n}-`)
const seed = new Ids('isolation')

/** Answers and callbacks of an account, in order, byte for byte. */
interface Transcript {
  answers: string[]
  callbacks: string[]
}

/**
 * One receiver for all accounts. The path names the account of a callback. Sometimes it answers
 * with an error.
 */
async function mailbox (
  t: Test
): Promise<{ url: string; of: (name: string) => string[]; empty: () => void }> {
  const boxes = new Map<string, string[]>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const box = boxes.get(request.url!.slice(1)) ?? []
    boxes.set(request.url!.slice(1), [...box, body])
    // The first attempt at every third body fails, whoever else is calling.
    response.writeHead(seed.chance(body) < 0.3 && !box.includes(body) ? 503 : 200).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (name) => boxes.get(name) ?? [],
    empty: () => boxes.clear()
  }
}

/** Everybody uses the same identifiers, so that a mix-up is seen. */
const uuid = (n: number): string => `aaaaaaaa-0000-4000-8000-${String(n).padStart(12, '0')}`

/** The whole story of one account, which follows from its name. */
async function tell ({ app }: Mock, name: string, url: string): Promise<string[]> {
  const answers: string[] = []
  let draws = 0
  const chance = (): number => seed.chance(`${name}${draws++}`)
  const among = <T>(choices: readonly T[]): T => choices[Math.floor(chance() * choices.length)]
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    path: string,
    payload?: object
  ): Promise<any> => {
    const response = await app.http.inject({
      method,
      url: path,
      headers: { authorization: `Bearer ${name}` },
      ...(payload !== undefined && { payload })
    })
    // Each of several servers counts the errors that it answers.
    const text = serverCount > 1 ? response.body.replace(/"errorId":"[^"]*"/, '') : response.body
    answers.push(`${method} ${path} ${response.statusCode} ${text}`)
    return response.json()
  }
  const advance = (): Promise<unknown> =>
    call('POST', '/__admin/clock/advance', { by: Math.floor(chance() * 5000) })
  const pay = async (
    version: 'v1' | 'v2',
    kind: 'deposit' | 'payout' | 'refund',
    n: number,
    more: object = {}
  ): Promise<void> => {
    const mark =
      version === 'v2'
        ? { clientReferenceId: name }
        : { metadata: [{ fieldName: 'whose', fieldValue: name }] }
    await call('POST', `${prefix[version]}/${kind}s`, {
      ...requests[version][kind]!(),
      [`${kind}Id`]: uuid(n),
      amount: String(1 + Math.floor(chance() * 50)),
      ...mark,
      ...more
    })
  }

  await call('PUT', '/__admin/clock', {
    mode: 'frozen',
    now: new Date(Date.UTC(2026, 0, 1) + Math.floor(chance() * 1e10)).toISOString()
  })
  await call('PATCH', '/__admin/account', {
    companyName: name,
    callbacks: Object.fromEntries(
      ['deposits', 'payouts', 'refunds'].map((kind) => [kind, `${url}/${name}`])
    )
  })
  await call('POST', '/__admin/scenarios', {
    name: 'mine',
    when: { kind: among(['deposit', 'payout']) },
    times: 1 + Math.floor(chance() * 2),
    ...among([
      { reject: 'INVALID_AMOUNT' },
      {
        script: [
          { after: '2s', to: 'PROCESSING' },
          {
            after: `${Math.floor(chance() * 60)}s`,
            to: 'FAILED',
            failureCode: 'UNSPECIFIED_FAILURE'
          }
        ]
      }
    ])
  })
  await pay(among(['v1', 'v2']), 'deposit', 1)
  await advance()
  await pay(among(['v1', 'v2']), 'deposit', 2)
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', {
    PAYOUT: among(['DELAYED', 'CLOSED', 'OPERATIONAL'])
  })
  await pay(among(['v1', 'v2']), 'payout', 3)
  await pay('v2', 'payout', 4)
  await advance()
  await pay('v2', 'payout', 4)
  await pay('v2', 'refund', 5, { depositId: uuid(2), amount: '1' })
  await call('POST', '/payouts', [{}])
  await advance()
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'OPERATIONAL' })
  await pay('v2', 'deposit', 6)
  await call('POST', '/__admin/clock/advance', { until: 'idle' })
  for (const [kind, n] of [
    ['deposit', 1],
    ['deposit', 2],
    ['payout', 3],
    ['payout', 4],
    ['refund', 5],
    ['deposit', 6]
  ] as const) {
    await call('GET', `${among(['', '/v2'])}/${kind}s/${uuid(n)}`)
  }
  await call('GET', '/v2/wallet-balances?country=ZMB')
  await call('GET', '/__admin/payments')
  await call('GET', '/__admin/scenarios')
  await call('GET', '/__admin/clock')
  return answers
}

async function transcript (
  mock: Mock,
  name: string,
  { url, of }: Awaited<ReturnType<typeof mailbox>>
): Promise<Transcript> {
  const answers = await tell(mock, name, url)
  // Callbacks that are due at the same time arrive in any order.
  return { answers, callbacks: [...of(name)].sort() }
}

t.test('two accounts that use the same identifiers share nothing', async (t) => {
  const mock = await build(t, {}, testMachine())
  const as =
    (token: string) =>
      async (method: string, path: string, body?: unknown): Promise<any> =>
        (await mock.call(method, path, body, { authorization: `Bearer ${token}` })).body
  const [one, other] = [as('sandbox-first'), as('sandbox-second')]
  const deposit = but(requests.v2.deposit!(), 'depositId', uuid(1))
  const payout = but(requests.v2.payout!(), 'payoutId', uuid(2))
  const { phoneNumber } = deposit.payer.accountDetails
  const scenario = { name: 'once', when: { kind: 'deposit' }, times: 1, reject: 'INVALID_AMOUNT' }
  const balances = '/v2/wallet-balances?country=ZMB'

  await other('PUT', '/__admin/clock', { mode: 'frozen', now: '2027-01-01T00:00:00Z' })
  const untouched = await other('GET', balances)
  await one('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-01-01T00:00:00Z' })
  await one('PATCH', '/__admin/account', {
    callbacks: { deposits: `${mock.url}/__admin/sink/shop` }
  })
  await one('POST', '/__admin/scenarios', scenario)
  await one('POST', '/v2/deposits', { ...deposit, depositId: uuid(9) })
  await one('POST', '/v2/deposits', deposit)
  await one('POST', '/__admin/clock/advance', { by: '10s' })
  await one('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
  await one('POST', '/v2/payouts', payout)
  await one('POST', '/__admin/clock/advance', { by: '10s' })
  await one('POST', '/__admin/snapshots', { name: 'mine' })
  const [callback] = (await one('GET', '/__admin/callbacks')).callbacks
  t.ok(callback.id, 'the first account has a callback')
  t.equal((await one('GET', '/__admin/sink/shop')).received, 1)

  t.strictSame(await other('GET', balances), untouched, 'wallets')
  t.match(await other('GET', `/v2/deposits/${uuid(1)}`), { status: 'NOT_FOUND' }, 'status')
  t.strictSame((await other('GET', '/__admin/payments')).payments, [], 'payments')
  t.strictSame((await other('GET', '/__admin/callbacks')).callbacks, [], 'callbacks')
  t.strictSame((await other('GET', '/__admin/snapshots')).snapshots, [], 'snapshots')
  t.equal((await other('GET', '/__admin/sink/shop')).received, 0, 'sinks')
  const resend = `/__admin/callbacks/${callback.id}/resend`
  t.match(await other('POST', resend), { error: { code: 'NOT_FOUND' } }, 'resend')
  const restore = await other('POST', '/__admin/snapshots/mine/restore')
  t.match(restore, { error: { code: 'NOT_FOUND' } }, 'restore')
  for (const [account, count] of [
    [one, 3],
    [other, 0]
  ] as const) {
    const posted = await account('POST', '/__admin/requests/count', { method: 'POST' })
    t.match(posted, { count }, 'journal')
  }
  const phone = await other('GET', `/__admin/phone/${phoneNumber}`)
  t.notOk(JSON.stringify(phone).includes(uuid(1)), 'phone')
  t.match(
    await other('POST', '/v2/refunds', { ...requests.v2.refund!(), depositId: uuid(1) }),
    { failureReason: { failureCode: 'NOT_FOUND' } },
    'refunds'
  )
  t.match(await other('POST', '/v2/deposits', { ...deposit, amount: '0.001' }), {
    status: 'REJECTED'
  })
  await other('POST', '/__admin/scenarios', scenario)
  t.match(
    await other('POST', '/v2/deposits', deposit),
    { status: 'REJECTED', failureReason: { failureCode: 'INVALID_AMOUNT' } },
    'uses of a scenario'
  )
  t.match(
    await other('POST', '/v2/deposits', deposit),
    { status: 'ACCEPTED', created: '2027-01-01T00:00:00Z' },
    'an identifier of the other account'
  )
  await other('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
  await other('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'OPERATIONAL' })
  await other('POST', '/__admin/clock/advance', { by: '1h' })
  t.match(
    await one('GET', `/v2/payouts/${uuid(2)}`),
    { data: { status: 'ENQUEUED' } },
    'provider queues'
  )
})

t.test(`${crowd} parallel accounts are isolated from each other`, async (t) => {
  const post = await mailbox(t)
  const mock = await build(t, {}, testMachine())
  const stories = new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, Transcript]> => [
        name,
        await transcript(mock, name, post)
      ])
    )
  )
  const strangers = [...stories].filter(([name, { answers, callbacks }]) =>
    [...answers, ...callbacks].some((text) =>
      (text.match(/sandbox-iso-\d+-/g) ?? []).some((other) => other !== name)
    )
  )
  t.same(
    strangers.map(([name]) => name),
    [],
    'none sees another'
  )
  t.same(
    [...stories]
      .filter(([name, { callbacks }]) => !callbacks.every((body) => body.includes(name)))
      .map(([name]) => name),
    [],
    'each callback is about the account it went to'
  )
  t.ok(
    new Set(
      [...stories.values()].map(({ answers }) =>
        answers.join('\n').replaceAll(/sandbox-iso-\d+-/g, '')
      )
    ).size >
      crowd / 2,
    'the stories are not all the same'
  )
  const told = [...stories.values()].reduce((sum, { callbacks }) => sum + callbacks.length, 0)
  t.ok(told > crowd * 3, `${told} callbacks`)

  const broken = await Promise.all(
    names.map(async (name) => {
      const { hold, invariants } = (
        await mock.app.http.inject({
          url: '/__admin/invariants',
          headers: { authorization: `Bearer ${name}` }
        })
      ).json()
      return hold === true && invariants[0].checked > 0 ? [] : [{ name, invariants }]
    })
  )
  t.same(broken.flat(), [], 'the invariants hold')

  post.empty()
  for (const name of names.filter((_, n) => n % Math.ceil(crowd / alone) === 0)) {
    const solo = await build(t, {}, testMachine())
    t.strictSame(await transcript(solo, name, post), stories.get(name), `${name} alone`)
    await solo.app.close()
  }
})

t.test('a split payment can name a payout identifier that another account has used', async (t) => {
  const { call } = await build(t, { clock: 'frozen' })
  const split = requests.v2.splitPayment!()
  const payout = but(requests.v2.payout!(), 'payoutId', split.splits[0].payoutId)
  const other = { authorization: 'Bearer sandbox-other' }
  t.match(await call('POST', '/v2/payouts', payout, other), { body: { status: 'ACCEPTED' } })
  t.match(await call('POST', '/v2/split-payments', split), { body: { status: 'ACCEPTED' } })
})
