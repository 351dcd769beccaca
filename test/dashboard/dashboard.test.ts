import t, { type Test } from 'tap'
import { deposit } from '../support/process.ts'
import { act, visit } from '../support/dashboard.ts'
import { build, type Mock } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** The dashboard: pages, their JSON versions, actions and access. */

const markup = '<img src=x onerror=alert(1)>'

/** A mock with a deposit that waits. */
async function buildWithDeposit (t: Test, options = {}): Promise<{ mock: Mock; id: string }> {
  const mock = await build(t, { clock: 'frozen', ...options })
  const body = { ...deposit(), clientReferenceId: markup }
  await mock.call('POST', '/v2/deposits', body)
  return { mock, id: body.depositId }
}

t.test('the root leads browsers to the dashboard and gives other clients an index', async (t) => {
  const mock = await openSandbox(t)
  const page = await visit(mock, '/')
  t.equal(page.status, 302)
  t.equal(page.headers.get('location'), '/__admin/ui')
  const index = await fetch(`${mock.url}/`, { headers: { accept: '*/*' } })
  t.match(await index.json(), { name: 'momock', dashboard: '/__admin/ui' })
})

t.test('the Accept header decides between a page and JSON', async (t) => {
  const mock = await openSandbox(t)
  const rows: Array<[accept: string, isPage: boolean]> = [
    ['text/html', true],
    ['application/json', false],
    ['text/html, application/json', true],
    ['application/json, text/html', false],
    ['application/json;q=0.5, text/html', true],
    ['text/html;q=0.5, application/json', false],
    ['text/html;q=0, application/json', false],
    ['text/html;q=0, */*', false],
    ['application/json;q=0, text/html;q=0.1', true],
    ['TEXT/HTML;Q=0.9,*/*;q=0.8', true]
  ]
  for (const [accept, isPage] of rows) {
    for (const path of ['/__admin/ui/payments', '/checkout/none']) {
      const { headers } = await visit(mock, path, { headers: { accept } })
      t.equal(headers.get('content-type')?.startsWith('text/html'), isPage, `${path}: ${accept}`)
    }
  }
})

t.test('caches learn of each header that decides about an answer', async (t) => {
  const mock = await openSandbox(t)
  for (const path of ['/', '/__admin/ui/payments']) {
    const { headers } = await visit(mock, path, { headers: { origin: 'http://localhost:3000' } })
    t.equal(headers.get('vary'), 'Origin, accept', path)
    t.equal((await visit(mock, path)).headers.get('vary'), 'accept', `${path} without an Origin`)
  }
})

t.test('every view is a page and a JSON answer of its admin call', async (t) => {
  const { mock, id } = await buildWithDeposit(t)
  for (const [path, call] of [
    ['/payments?status=ACCEPTED', '/__admin/payments?status=ACCEPTED&order=newest&limit=50'],
    [`/payments/deposit/${id}`, `/__admin/payments/deposit/${id}`],
    ['/callbacks', '/__admin/callbacks?order=newest&limit=50'],
    ['/requests', '/__admin/requests?nearest=true&limit=50'],
    ['/providers', '/__admin/providers?all=true'],
    ['/sinks/shop', '/__admin/sink/shop'],
    ['/scenarios', '/__admin/scenarios'],
    ['/snapshots', '/__admin/snapshots'],
    ['/faults', '/__admin/scenarios'],
    ['/wallets', '/__admin/wallets'],
    ['/test-numbers', '/__admin/test-numbers'],
    ['/try?request=v2+payout', '/__admin/examples?version=v2&kind=payout'],
    ['/coverage', '/__admin/coverage'],
    ['/invariants', '/__admin/invariants']
  ]) {
    const page = await visit(mock, `/__admin/ui${path}`)
    t.equal(page.status, 200, path)
    t.match(page.headers.get('content-security-policy'), /default-src 'none'/)
    t.notMatch(page.text, /<script>|<[^>]*\s(on\w+|style)=/, 'no code inside the page')
    t.notMatch(page.text, markup, 'the content is escaped')
    const twin = await fetch(`${mock.url}/__admin/ui${path}`, {
      headers: { accept: 'application/json' }
    })
    const shown: any = await twin.json()
    const called = (await mock.call('GET', call)).body
    // Each example has new identifiers.
    if (path.startsWith('/try')) shown.body.payoutId = called.body.payoutId
    t.strictSame(shown, called, 'the same as JSON')
  }
  const { text } = await visit(mock, `/__admin/ui/payments/deposit/${id}`)
  t.match(text, /&lt;img src=x onerror=alert\(1\)&gt;/)
})

t.test('a page of nothing is an error page', async (t) => {
  const mock = await openSandbox(t)
  for (const [path, text] of [
    ['/payments/deposit/4e742c59-0000-4000-8000-000000000000', /there is no deposit/],
    ['/payments/gift/4e742c59-0000-4000-8000-000000000000', /no kind/]
  ] as const) {
    const page = await visit(mock, `/__admin/ui${path}`)
    t.equal(page.status, 404)
    t.match(page.text, text)
  }
  const other = await visit(mock, '/__admin/ui/payments?account=nobody')
  t.match([other.status, other.text], [404, /there is no account/])
})

t.test('each action is an admin call, and the page after it shows the call as curl', async (t) => {
  const { mock, id } = await buildWithDeposit(t)
  const back = `/payments/deposit/${id}`
  const closed = { provider: 'MTN_MOMO_ZMB', operations: 'DEPOSIT', status: 'CLOSED' }
  for (const [action, fields, shown, curl] of [
    ['set-clock', { mode: 'backwards' }, /mode must be/, /clock/],
    ['move-payment', { kind: 'deposit', id, to: 'PROCESSING' }, /moved/, /"to":"PROCESSING"/],
    ['move-payment', { kind: 'deposit', id, to: 'COMPLETED' }, /moved/, /move/],
    ['move-payment', { kind: 'deposit', id, to: 'FAILED' }, /final/, /move/],
    ['send-callback', { kind: 'deposit', id, wrong: 'stale' }, /no callback URL/, /"stale":true/],
    ['send-callback', { kind: 'deposit', id, wrong: 'ACCEPTED' }, /no callback URL/, /"status"/],
    ['advance-clock', { until: 'next' }, /To the next event: /, /"until":"next"/],
    ['refund-deposit', { id }, /refund was accepted/, /Bearer test-token(.|\n)*"refundId"/],
    ['refund-deposit', { id }, /still in progress/, /v2\/refunds/],
    ['cancel-payment', { path: 'payouts', id }, /payout/, /v2\/payouts\/fail-enqueued/],
    ['set-clock', { mode: 'running' }, /The clock runs, at 1×/, /-X PUT .*\/__admin\/clock/],
    [
      'add-scenario',
      { name: 'slow', text: 'when: { kind: deposit }\nscript: phone' },
      /was added/,
      /"script":"phone"/
    ],
    ['add-scenario', { name: 'bad', text: 'script: [' }, /correct the text/, /toast wrong/],
    ['add-scenario', { name: 'bad', text: 'scrip: phone' }, /scrip/, /\/__admin\/scenarios/],
    ['delete-scenario', { name: 'slow' }, /was deleted/, /-X DELETE/],
    ['take-snapshot', { name: 'one' }, /was taken/, /snapshots/],
    ['restore-snapshot', { name: 'one' }, /was restored/, /snapshots\/one\/restore/],
    ['delete-snapshot', { name: 'one' }, /was deleted/, /-X DELETE/],
    ['set-provider', closed, /was changed/, /"DEPOSIT":"CLOSED"/],
    ['clear-requests', {}, /was cleared/, /-X DELETE/]
  ] as Array<[string, Record<string, string>, RegExp, RegExp]>) {
    const { status, headers } = await act(mock, action, { back, ...fields })
    t.equal(status, 303, action)
    const page = await visit(mock, headers.get('location')!)
    t.match(page.text.replaceAll('&quot;', '"'), shown)
    t.match(page.text.replaceAll('&quot;', '"'), curl)
  }
  t.equal((await mock.call('GET', `/__admin/payments/deposit/${id}`)).body.status, 'COMPLETED')
  t.match(await act(mock, 'explode', {}), { status: 404 })
})

t.test('an action leads to a page of the dashboard, whatever the form says', async (t) => {
  const mock = await build(t)
  for (const [back, page] of [
    ['/callbacks?state=PENDING', '/callbacks?state=PENDING&'],
    ['http://[', '/payments?'],
    ['//evil.example/requests', '/requests?'],
    ['http://evil.example/', '/?']
  ]) {
    const { status, headers } = await act(mock, 'clear-requests', { back })
    t.equal(status, 303, back)
    t.ok(headers.get('location')?.startsWith(`/__admin/ui${page}result=`), back)
  }
})

t.test('a page with more slashes is the same page', async (t) => {
  const mock = await build(t)
  const sink = '/__admin/ui/sinks/shop'
  for (const path of [sink, `${sink}/`, `/${sink}`, '/__admin//ui//sinks/shop']) {
    const { text } = await visit(mock, path)
    t.match(text, 'name="name" value="shop"', path)
    t.match(text, 'name="back" value="/sinks/shop"', path)
  }
})

t.test('an action of another site is refused', async (t) => {
  const { mock, id } = await buildWithDeposit(t)
  const answer = await act(
    mock,
    'reset-account',
    {},
    {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site'
    }
  )
  t.equal(answer.status, 403)
  t.match(await mock.call('GET', `/__admin/payments/deposit/${id}`), { status: 200 })
})

t.test('the dashboard shows one account at a time', async (t) => {
  const mock = await build(t)
  const body = deposit()
  await mock.call('POST', '/v2/deposits', body, { authorization: 'Bearer sandbox-other' })
  const shortId = body.depositId.slice(0, 8)
  t.notMatch((await visit(mock, '/__admin/ui/payments')).text, shortId)
  const page = await visit(mock, '/__admin/ui/payments?account=sandbox-other')
  t.match(page.text, shortId)
  t.match(page.text, /\/__admin\/ui\/callbacks\?account=sandbox-other/, 'links keep the account')
})

t.test('with an admin token the dashboard asks for it once', async (t) => {
  const mock = await build(t, { adminToken: 'secret' })
  const path = '/__admin/ui/payments'
  const asked = await visit(mock, path)
  t.match([asked.status, asked.text], [401, /Admin token/])
  t.equal((await act(mock, 'reset-account', {})).status, 401)
  t.equal((await visit(mock, '/__admin/ui/events')).status, 401)
  const login = (token: string) =>
    visit(mock, '/__admin/ui/login', { method: 'POST', body: new URLSearchParams({ token }) })
  t.match(await login('wrong'), { status: 401, text: /not the admin token/ })
  const { status, headers } = await login('secret')
  t.equal(status, 303)
  const cookie = headers.get('set-cookie')!
  t.match(cookie, /HttpOnly; SameSite=Strict/)
  t.notMatch(cookie, /secret/)
  const page = await visit(mock, path, { headers: { cookie: cookie.split(';')[0] } })
  t.equal(page.status, 200)
  t.notMatch(page.text, /secret/, 'the token is not shown')
  t.match(page.text, /MOMOCK_ADMIN_TOKEN/)
})

t.test('on an address that others can reach, the dashboard does what the API does', async (t) => {
  const { mock, id } = await buildWithDeposit(t, { host: '0.0.0.0' })
  const page = await visit(mock, `/__admin/ui/payments/deposit/${id}`)
  t.match(page.text, /<button>Process/)
  const home = '/__admin/ui/payments'
  t.match((await visit(mock, home)).text, /Warning: everyone who can reach 0\.0\.0\.0/)
  t.notMatch((await visit(await build(t), home)).text, /Warning: everyone/)
  const { status } = await act(mock, 'move-payment', { kind: 'deposit', id, to: 'PROCESSING' })
  t.equal(status, 303)
  t.match((await mock.call('GET', `/v2/deposits/${id}`)).body, { data: { status: 'PROCESSING' } })
})
