import t, { type Test } from 'tap'
import { build, id, type Answer, type Call } from '../support/helper.ts'
import { waveDeposit } from '../support/customers.ts'
import { requests } from '../support/examples.ts'

/** Links are found or not found, whatever work on the whole account is under way. */

const returnUrl = 'https://shop.example/back'
const pathOf = (url: string): string => new URL(url).pathname

/** Creates many payments: work on the whole account then takes many transactions. */
async function createPayments (t: Test, call: Call): Promise<void> {
  const { splits, ...rest } = requests.v2.splitPayment!()
  const create = async (): Promise<void> => {
    const { body } = await call('POST', '/v2/split-payments', {
      ...rest,
      splitPaymentId: id(),
      amount: '50',
      splits: Array.from({ length: 20 }, () => ({ ...splits[0], payoutId: id(), amount: '2' }))
    })
    if (body.status !== 'ACCEPTED') t.fail(JSON.stringify(body))
  }
  for (let n = 0; n < 8; n++) await Promise.all(Array.from({ length: 20 }, create))
}

/** Creates one link of each sort, and returns their paths. */
async function createLinks (call: Call): Promise<Record<string, string>> {
  const wave = waveDeposit(id())
  const returns = { successfulUrl: returnUrl, failedUrl: returnUrl }
  await call('POST', '/v2/deposits', { ...wave, ...returns })
  await call('POST', '/__admin/clock/advance', { by: '100ms' })
  const authorisation = await call('GET', `/v2/deposits/${wave.depositId}`)
  const requested = await call('POST', '/v2/statements', {
    wallet: { country: 'ZMB', currency: 'ZMW' },
    callbackUrl: 'http://127.0.0.1:1/statements',
    startDate: '2026-01-01T00:00:00',
    endDate: '2026-01-31T23:59:59'
  })
  await call('POST', '/__admin/clock/advance', { by: '1m' })
  const statement = await call('GET', `/v2/statements/${requested.body.statementId}`)
  const checkout = await call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl })
  const payment = await call('POST', '/v2/paymentpage', { depositId: id(), returnUrl })
  return {
    authorisation: pathOf(authorisation.body.data.authorizationUrl),
    checkout: pathOf(checkout.body.redirectUrl),
    payment: pathOf(payment.body.redirectUrl),
    statement: pathOf(statement.body.data.downloadUrl)
  }
}

t.test('links lead to their pages during work on the whole account', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const token = 'sandbox-with-links'
  const call = mock.callAs(t, token)
  const links = Object.entries(await createLinks(call))
  await createPayments(t, call)
  await call('POST', '/__admin/snapshots', { name: 'full' })
  const visit = async (path: string): Promise<number> => {
    const answer = await fetch(mock.url + path, { headers: { accept: 'application/json' } })
    await answer.arrayBuffer()
    return answer.status
  }
  const visitUntil = async (isDone: () => boolean, path: string): Promise<number[]> => {
    const statuses = new Set<number>()
    do statuses.add(await visit(path))
    while (!isDone())
    return [...statuses]
  }
  const restore = (): Promise<Answer> => call('POST', '/__admin/snapshots/full/restore')
  const rows: Array<[string, Array<() => Promise<Answer>>, number[]]> = [
    ['a snapshot', [() => call('POST', '/__admin/snapshots', { name: 'again' })], [200]],
    ['restores', Array.from({ length: 5 }, () => restore), [200]],
    ['the deletion', [() => mock.call('DELETE', `/__admin/accounts/${token}`)], [200, 404]]
  ]
  for (const [what, work, expected] of rows) {
    let isDone = false
    const visits = Promise.all(links.map(([, path]) => visitUntil(() => isDone, path)))
    for (const one of work) t.match((await one()).status, /^20[014]$/, what)
    isDone = true
    for (const [n, statuses] of (await visits).entries()) {
      const others = statuses.filter((status) => !expected.includes(status))
      t.strictSame(others, [], `${links[n][0]} link during ${what}`)
    }
  }
  for (const [name, path] of links) {
    t.equal(await visit(path), 404, `${name} link of a deleted account`)
  }
})
