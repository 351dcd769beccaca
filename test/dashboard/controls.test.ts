import t from 'tap'
import { kinds } from '../../src/domain/kinds.ts'
import { faultRows } from '../../routes/dashboard/faults.ts'
import { actAndSee, see } from '../support/dashboard.ts'
import { requests } from '../support/examples.ts'
import { build, type Client } from '../support/helper.ts'

/** The controls: providers, faults, wallets and test numbers. */

const deposit = requests.v2.deposit!
const frozen = { clock: 'frozen' as const }

async function outcomeOf ({ call }: Client): Promise<string> {
  const { body } = await call('POST', '/v2/deposits', deposit())
  return body.status === 'REJECTED' ? body.failureReason.failureCode : body.status
}

t.test('a provider is switched, per operation and as a whole', async (t) => {
  const mock = await build(t, frozen)
  t.match(await see(mock, '/providers'), /MTN_MOMO_ZMB.*Zambia/s)
  const set = (fields: Record<string, string>) =>
    actAndSee(mock, 'set-provider', { back: '/providers', provider: 'MTN_MOMO_ZMB', ...fields })
  const page = await set({ operations: 'DEPOSIT', status: 'CLOSED' })
  t.match(page, /MIXED.*DEPOSIT CLOSED/s)
  t.match(page, '{"DEPOSIT":"CLOSED"}')
  t.equal(await outcomeOf(mock), 'PROVIDER_TEMPORARILY_UNAVAILABLE')
  await set({ operations: 'DEPOSIT PAYOUT REFUND', status: 'OPERATIONAL' })
  t.equal(await outcomeOf(mock), 'ACCEPTED')
})

t.test('an outage of some minutes ends by itself', async (t) => {
  const mock = await build(t, frozen)
  const page = await actAndSee(mock, 'set-provider', {
    back: '/providers',
    provider: 'MTN_MOMO_ZMB',
    operations: 'DEPOSIT PAYOUT',
    status: 'CLOSED',
    minutes: '10'
  })
  t.match(page, /"for":"10m"/)
  t.match(page, /DEPOSIT CLOSED\s+until 20\d\d-/)
  t.equal(await outcomeOf(mock), 'PROVIDER_TEMPORARILY_UNAVAILABLE')
  await mock.call('POST', '/__admin/clock/advance', { by: '11m' })
  t.equal(await outcomeOf(mock), 'ACCEPTED')
})

t.test('every fault is a valid scenario that can be switched on and off', async (t) => {
  const mock = await build(t, frozen)
  for (const { name } of faultRows) {
    const on = await actAndSee(mock, 'add-fault', { back: '/faults', fault: name, times: '2' })
    t.match(on, /The next payments have this fault.*on, 2 left/s, name)
    const off = await actAndSee(mock, 'delete-scenario', { back: '/faults', name: `fault-${name}` })
    t.notMatch(off, 'on, 2 left', name)
  }
  const wrong = await actAndSee(mock, 'add-fault', { back: '/faults', fault: 'gone', times: '1' })
  t.match(wrong, "there is no fault 'gone'")
})

t.test('a wallet is topped up and set', async (t) => {
  const mock = await build(t, frozen)
  const wallet = { back: '/wallets', country: 'ZMB', currency: 'ZMW' }
  t.match(await see(mock, '/wallets'), /1,000,000\.00/)
  t.match(
    await actAndSee(mock, 'top-up-wallet', { ...wallet, amount: '50.00' }),
    /topped up.*1,000,050\.00/s
  )
  await actAndSee(mock, 'set-wallet', { ...wallet, amount: '0' })
  const { body } = await mock.call('POST', '/v2/payouts', requests.v2.payout!())
  t.equal(body.failureReason.failureCode, 'PAWAPAY_WALLET_OUT_OF_FUNDS')
})

t.test('each test number leads to a payment that it decides', async (t) => {
  const mock = await build(t, frozen)
  const page = await see(mock, '/test-numbers?country=ZMB')
  const links = [...page.matchAll(/href="([^"]*\/ui(\/try\?kind=deposit[^"]*))"/g)].map(
    ([, , path]) => path
  )
  t.ok(links.length > 5)
  for (const path of links) {
    const form = await see(mock, path)
    const [, text = ''] = /<textarea[^>]*>\n(.*?)<\/textarea>/s.exec(form) ?? []
    const fields = { kind: 'deposit', version: 'v2', path: '/v2/deposits', text }
    await actAndSee(mock, 'send-payment', fields)
  }
  await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
  const { payments } = (await mock.call('GET', '/__admin/payments')).body
  const { testNumbers } = (await mock.call('GET', '/__admin/test-numbers')).body
  t.equal(payments.length, links.length)
  for (const { id, status, phoneNumber } of payments) {
    const { outcome } = testNumbers.find(
      (number: any) => number.operation === 'DEPOSIT' && number.phoneNumber === phoneNumber
    )
    const { record } = (await mock.call('GET', `/__admin/payments/deposit/${id}`)).body
    const seen = record.failureReason?.failureCode ?? (status === 'COMPLETED' ? status : 'PENDING')
    t.equal(seen, outcome, phoneNumber)
  }
})

t.test('two examples for each provider are accepted', async (t) => {
  const mock = await build(t, frozen)
  const { testNumbers } = (await mock.call('GET', '/__admin/test-numbers')).body
  const providers = new Set<string>(testNumbers.map(({ provider }: any) => provider))
  t.ok(providers.size > 20, `${providers.size} providers`)
  for (const provider of providers) {
    for (const [kind, version] of [
      ['deposit', 'v1'],
      ['deposit', 'v2'],
      ['splitPayment', 'v2']
    ] as const) {
      for (const n of [1, 2]) {
        const query = `kind=${kind}&version=${version}&provider=${provider}`
        const { body: example } = await mock.call('GET', `/__admin/examples?${query}`)
        const { splits = [] } = example.body
        for (const { recipient } of splits) t.equal(recipient.accountDetails.provider, provider)
        const { body } = await mock.call('POST', example.path, example.body)
        t.match(body, { status: 'ACCEPTED' }, `${provider} ${version} ${kind} ${n}`)
      }
    }
  }
})

t.test('an example of every kind in every version is accepted', async (t) => {
  const mock = await build(t, frozen)
  const first = deposit()
  await mock.call('POST', '/v2/deposits', first)
  await mock.call('POST', '/__admin/clock/advance', { by: '1m' })
  for (const { name, versions } of Object.values(kinds)) {
    for (const version of versions) {
      const query = `kind=${name}&version=${version}&depositId=${String(first.depositId)}`
      const { body: example } = await mock.call('GET', `/__admin/examples?${query}`)
      const { status, body } = await mock.call('POST', example.path, example.body)
      // The second refund of the deposit is refused, because the first is in progress.
      const isSecondRefund = name === 'refund' && version === versions[1]
      t.match(
        { status, body },
        { status: 200, body: { status: isSecondRefund ? 'REJECTED' : 'ACCEPTED' } },
        `${version} ${name}`
      )
    }
  }
  t.match(await mock.call('GET', '/__admin/examples?kind=checkout&version=v1'), {
    status: 400,
    body: { error: { message: 'v1 has no checkout', hint: 'use version=v2' } }
  })
})
