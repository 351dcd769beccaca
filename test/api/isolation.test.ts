import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Ids } from '../../src/lib/ids.ts'
import { build, testMachine, type Mock } from '../support/helper.ts'
import { prefix, requests } from '../support/examples.ts'

/**
 * Many accounts at once, each with a story of its own: none sees another, and each ends as it would
 * alone.
 */

const crowd = 200
/** So many of them are told once more, each on a server of its own. */
const alone = 6
const names = Array.from({ length: crowd }, (_, n) => `sandbox-iso-${n}-`)
const seed = new Ids('isolation')

/** What an account was answered and called back, in order and in bytes. */
interface Transcript {
  answers: string[]
  callbacks: string[]
}

/**
 * One receiver for everybody; the path says whose callback it should be. Now and then it is out of
 * order.
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
    answers.push(`${method} ${path} ${response.statusCode} ${response.body}`)
    return response.json()
  }
  const advance = (): Promise<unknown> =>
    call('POST', '/__admin/clock/advance', { by: Math.floor(chance() * 5000) })
  const pay = async (
    generation: 'v1' | 'v2',
    kind: 'deposit' | 'payout' | 'refund',
    n: number,
    more: object = {}
  ): Promise<void> => {
    const mark =
      generation === 'v2'
        ? { clientReferenceId: name }
        : { metadata: [{ fieldName: 'whose', fieldValue: name }] }
    await call('POST', `${prefix[generation]}/${kind}s`, {
      ...requests[generation][kind]!(),
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
  // What is due at the same time goes out at the same time, and arrives in any order.
  return { answers, callbacks: [...of(name)].sort() }
}

const timeout = 90_000
t.test(`${crowd} parallel accounts are isolated from each other`, { timeout }, async (t) => {
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
