import t, { type Test } from 'tap'
import type { Version } from '../../src/domain/api-version.ts'
import { forgeryNames } from '../../src/domain/callback-faults.ts'
import { kinds, type KindName } from '../../src/domain/kinds.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { id } from '../support/helper.ts'
import { arrived, isFresh, isGood, keysOf, merchant, type Arrival } from '../support/merchant.ts'
import { openSandbox, type Sandbox } from '../support/sandboxes.ts'

/** Forged callbacks: what they claim, and how a merchant who verifies detects them. */

const bodyOf = ({ body }: Arrival): any => JSON.parse(body.toString())

interface Shop {
  mock: Sandbox
  key: string
  arrivals: Arrival[]
  /** Sends a callback about a payment and returns what arrived, in a test of the call. */
  send: (path: string, order: object) => Promise<Arrival>
}

/** A frozen account, and the receiver of its callbacks. */
async function open (t: Test): Promise<Shop> {
  const { url, arrivals } = await merchant(t, [], { wrongBecause: 'it is forged' })
  const mock = await openSandbox(t, { callbackUrl: url, clock: 'frozen' })
  const [{ key }] = await keysOf(mock)
  const send = async (path: string, order: object): Promise<Arrival> => {
    const seen = arrivals.length
    const { status, body } = await mock.call('POST', `${path}/callbacks`, order)
    if (status !== 202) throw new Error(`${status} ${JSON.stringify(body)}`)
    await mock.call('POST', '/__admin/clock/advance', { by: 0 })
    await arrived(arrivals, seen + 1)
    return arrivals[seen]
  }
  return { mock, key, arrivals, send }
}

/** Makes a payment of a kind that is still open, and returns the path of its admin calls. */
async function initiate ({ call }: Sandbox, version: Version, kind: KindName): Promise<string> {
  const { path, idField } = kinds[kind]
  let body: Record<string, unknown>
  if (kind === 'checkout') {
    const amounts = [{ country: 'ZMB', currency: 'ZMW', amount: '15' }]
    body = { checkoutId: id(), returnUrl: 'https://shop.example/back', amounts }
  } else body = requests[version][kind]!()
  if (kind === 'refund') {
    const deposit = requests[version].deposit!()
    await call('POST', `${prefix[version]}/deposits`, deposit)
    await call('POST', '/__admin/clock/advance', { by: '1s' })
    body = but(body, 'depositId', deposit.depositId)
  }
  const { status, body: answer } = await call('POST', `${prefix[version]}/${path}`, body)
  if (status !== 200 || answer.status === 'REJECTED') throw new Error(JSON.stringify(answer))
  return `/__admin/payments/${kind}/${String(body[idField])}`
}

/** How a merchant sees that a callback is forged. */
const signs: Record<(typeof forgeryNames)[number], (arrival: Arrival, key: string) => boolean> = {
  tampered: (arrival, key) => !isGood(arrival, key),
  wrongKey: (arrival, key) => !isGood(arrival, key),
  otherHost: (arrival, key) =>
    !isGood(arrival, key) &&
    isGood({ ...arrival, headers: { ...arrival.headers, host: 'other-shop.example' } }, key),
  unsigned: ({ headers }) => headers.signature === undefined,
  stale: (arrival, key) => isGood(arrival, key) && !isFresh(arrival)
}

for (const version of ['v1', 'v2'] as const) {
  for (const { name, versions } of Object.values(kinds)) {
    if (!versions.includes(version)) continue
    t.test(`a forged ${version} ${name} claims COMPLETED while it is open`, async (t) => {
      const { mock, key, arrivals, send } = await open(t)
      const path = await initiate(mock, version, name)
      const before = (await mock.call('GET', path)).body
      arrivals.length = 0
      const forged: Arrival[] = []
      for (const fault of forgeryNames) {
        const arrival = await send(path, { status: 'COMPLETED', [fault]: true })
        t.equal(bodyOf(arrival).status, 'COMPLETED', fault)
        t.ok(signs[fault](arrival, key), `${fault} can be detected`)
        forged.push(arrival)
      }
      const tampered = await send(path, { tampered: true })
      t.same(bodyOf(tampered), bodyOf(forged[0]), 'one that is tampered with claims it by itself')
      const { callbacks, ...after } = (await mock.call('GET', path)).body
      t.match(after, { status: before.status, history: before.history }, 'nothing happens to it')
      for (const { body } of callbacks) t.equal(body.status, before.record.status)
      const last = callbacks.at(-1)
      t.strictSame(last.faults, { tampered: true })
      await mock.call('POST', `/__admin/callbacks/${last.id}/resend`)
      await mock.call('POST', '/__admin/clock/advance', { by: 0 })
      const resent = arrivals[arrivals.length - 1]
      t.equal(bodyOf(resent).status, before.record.status, 'a resend is the true record')
      t.ok(isGood(resent, key) && isFresh(resent))
      for (const fault of forgeryNames) {
        t.notOk(signs[fault](resent, key), `a genuine callback is not ${fault}`)
      }
    })

    // A checkout completes only when a customer pays on its page.
    if (name === 'checkout') continue
    t.test(`a forged ${version} ${name} has the fields of its status`, async (t) => {
      const { mock, key, arrivals, send } = await open(t)
      const path = await initiate(mock, version, name)
      arrivals.length = 0
      const wanted = bodyOf(await send(path, { status: 'COMPLETED', wrongKey: true }))
      const failed = bodyOf(await send(path, { status: 'FAILED', unsigned: true }))
      t.match(failed, { status: 'FAILED', failureReason: { failureMessage: String } })
      await mock.call('POST', '/__admin/clock/advance', { by: '1m' })
      const genuine = arrivals.find(
        (arrival) => isGood(arrival, key) && kinds[name].idField in bodyOf(arrival)
      )!
      t.strictSame(
        Object.keys(wanted).sort(),
        Object.keys(bodyOf(genuine)).sort(),
        'COMPLETED has the fields of the true one'
      )
      const raised = bodyOf(await send(path, { tampered: true }))
      t.equal(raised.status, 'COMPLETED')
      t.match(JSON.stringify(raised), '"915', 'a completed one claims more money')
      const earlier = await send(path, { status: 'FAILED', tampered: true })
      t.equal(bodyOf(earlier).status, 'FAILED', 'or what it is told to claim')
      t.notOk(isGood(earlier, key))
    })
  }
}

t.test('only a forged callback claims a status that the payment never had', async (t) => {
  const { mock } = await open(t)
  const path = await initiate(mock, 'v2', 'deposit')
  for (const [order, status, message] of [
    [{ status: 'COMPLETED' }, 409, /never COMPLETED; its statuses are ACCEPTED.*add one of tamp/],
    [{ status: 'COMPLETED', duplicates: 1 }, 409, /never COMPLETED/],
    [{ status: 'EXPIRED', unsigned: true }, 409, /a deposit is never EXPIRED.*COMPLETED, FAILED$/],
    [{ wrongKey: true, otherHost: true }, 400, /both 'wrongKey' and 'otherHost'/],
    [{ unsigned: true, otherHost: true }, 400, /both 'unsigned' and 'otherHost'/],
    [{ key: 'foreign' }, 400, /key/]
  ] as const) {
    const what = JSON.stringify(order)
    const answer = await mock.call('POST', `${path}/callbacks`, order)
    t.match(answer, { status, body: { error: { message } } }, what)
  }
})

t.test('a callback is signed with a wrong key in one word, and in the earlier one', async (t) => {
  const { mock, key } = await open(t)
  const url = 'http://127.0.0.1:3000/callbacks'
  for (const [order, good] of [
    [{}, true],
    [{ wrongKey: false }, true],
    [{ wrongKey: true }, false],
    [{ key: 'own' }, true],
    [{ key: 'foreign' }, false]
  ] as const) {
    const toSign = { url, body: '{}', ...order }
    const { headers, body } = (await mock.call('POST', '/__admin/signatures/sign', toSign)).body
    const arrival = {
      method: 'POST',
      url: '/callbacks',
      headers: { ...headers, host: '127.0.0.1:3000' },
      body: Buffer.from(body)
    }
    t.equal(isGood(arrival, key), good, JSON.stringify(order))
  }
  const wrong = { url, body: '{}', key: 'other' }
  t.match(await mock.call('POST', '/__admin/signatures/sign', wrong), {
    status: 400,
    body: { error: { message: /key must be one of own, foreign/ } }
  })
})
