import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { id } from './helper.ts'
import { but, requests } from './examples.ts'
import { examReport } from './exam-report.ts'

/** An account with something to show on every page of the dashboard, full of markup. */

/** Text that would be code or markup, if a page did not escape it. */
export const markup =
  '"><img src=x onerror="window.hacked=1">\'</textarea><script>hacked()</script>'

/** Pages of the dashboard that a full account has, by their names. */
export type Views = Record<string, string>

const deposit = requests.v2.deposit!
const payout = requests.v2.payout!

/** A merchant whose server refuses callbacks with markup. */
async function refuseCallbacks (t: Test): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(500, { 'content-type': 'text/html', 'x-note': '<script>hacked()</script>' })
    response.end(markup)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks?<b>`
}

/** Sends a request whose path has characters that a browser would encode. */
async function sendOddPath (url: string, path: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(url)
  const sent = request({ hostname, port, path, headers }).end()
  const [response] = await once(sent, 'response')
  response.resume()
  await once(response, 'end')
}

/** Fills the default account of a server with a frozen clock, and returns the pages to look at. */
export async function fillAccount (t: Test, url: string, adminToken?: string): Promise<Views> {
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: 'Bearer test-token',
        'user-agent': '<script>hacked()</script>',
        ...(adminToken !== undefined && { 'x-momock-admin-token': adminToken }),
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return text === '' ? undefined : JSON.parse(text)
  }
  const advance = (by: string): Promise<unknown> => call('POST', '/__admin/clock/advance', { by })
  await call('PUT', '/__admin/clock', { mode: 'frozen' })
  const sink = `${url}/__admin/sink/shop`
  const merchant = await refuseCallbacks(t)
  await call('PATCH', '/__admin/account', {
    callbacks: { deposits: merchant, payouts: sink, refunds: sink }
  })
  await call('PUT', '/__admin/sink/shop', [500, 200])

  // Its callback is refused for 15 minutes: more attempts than the page explains at once.
  const depositId = id()
  const refused = {
    ...deposit(),
    depositId,
    clientReferenceId: markup,
    metadata: [{ note: markup }, { [markup]: 'name' }]
  }
  await call('POST', '/v2/deposits', refused)
  await advance('20m')
  await call('POST', `/__admin/payments/deposit/${depositId}/callbacks`, { wrongKey: true })
  await advance('20m')
  await call('POST', '/v2/refunds', { refundId: id(), depositId })
  const paid = requests.v1.deposit!()
  await call('POST', '/deposits', paid)
  await call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED', for: '10m' })
  const queued = payout()
  await call('POST', '/v2/payouts', queued)
  const split = requests.v2.splitPayment!()
  await call('POST', '/v2/split-payments', split)
  const checkoutId = id()
  const returnUrl = 'https://shop.example/<b>'
  await call('POST', '/v2/checkouts', { checkoutId, returnUrl })
  await advance('2s')

  // Requests that are refused, or have no route.
  await call('POST', '/v2/deposits', { ...deposit(), customerMessage: markup })
  await call('POST', '/deposits', { ...requests.v1.deposit!(), statementDescription: markup })
  await call('POST', '/v2/deposits', but(deposit(), 'payer.accountDetails.phoneNumber', markup))
  await call('POST', '/v2/deposit', deposit())
  await sendOddPath(url, '/v2/<script>hacked()</script>', { 'x-note': '<script>hacked()</script>' })

  await call('POST', '/__admin/scenarios', {
    name: 'marked',
    when: { kind: 'deposit', metadata: { note: markup } },
    reject: 'INVALID_CURRENCY',
    times: 2
  })
  await call('POST', '/__admin/accounts', { name: 'team-1' })
  await call('POST', '/__admin/snapshots', { name: 'before' })
  await call('PUT', '/__admin/exam/report', markedReport)
  await call('POST', '/v2/deposits', { ...deposit(), metadata: [{ note: markup }] })
  await call('POST', '/__admin/scenarios', { name: 'fault-lost', fault: 'lost', times: 1 })
  return {
    payments: '/payments',
    searched: `/payments?${new URLSearchParams({ search: markup, provider: markup }).toString()}`,
    deposit: `/payments/deposit/${depositId}`,
    'deposit in v1': `/payments/deposit/${String(paid.depositId)}`,
    payout: `/payments/payout/${String(queued.payoutId)}`,
    'split payment': `/payments/splitPayment/${String(split.splitPaymentId)}`,
    checkout: `/payments/checkout/${checkoutId}`,
    callbacks: '/callbacks',
    sink: '/sinks/shop',
    requests: '/requests',
    try: `/try?${new URLSearchParams({ sent: `deposit/${String(paid.depositId)}` }).toString()}`,
    providers: '/providers',
    scenarios: '/scenarios?edit=marked',
    faults: '/faults',
    wallets: '/wallets',
    'test numbers': '/test-numbers',
    snapshots: '/snapshots',
    team: '/team',
    lint: '/lint',
    coverage: '/coverage',
    invariants: '/invariants',
    load: '/load',
    exam: '/exam',
    'unknown payment': `/payments/deposit/${id()}`
  }
}

const [check] = examReport.checks
const markedReport = {
  ...examReport,
  target: markup,
  checks: [
    { ...check, title: markup, because: markup, sent: markup, received: markup, fix: markup }
  ]
}
