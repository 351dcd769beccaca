import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { Rates } from '../../src/monitoring/rates.ts'
import { Counters } from '../../src/monitoring/counters.ts'
import { niceCeiling } from '../../routes/dashboard/templates/rates.ts'
import { languages } from '../../routes/dashboard/code-samples.ts'
import { actAndSee, see, visit } from '../support/dashboard.ts'
import { requests } from '../support/examples.ts'
import { build, testMachine } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** "Try it": a request as code, sent and followed; and the rates of the server. */

const run = promisify(execFile)
const deposit = requests.v2.deposit!
const fields = { kind: 'deposit', version: 'v2', path: '/v2/deposits', back: '/try' }
const unescape = (text: string): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<')

t.test('a payment is created and followed', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const form = await see(mock, '/try?request=v1+payout&amount=25&phoneNumber=260763456789')
  t.match(form, /POST \/payouts/)
  const [, text = ''] = /<textarea[^>]*>\n(.*?)<\/textarea>/s.exec(form) ?? []
  t.match(JSON.parse(text), { amount: '25', recipient: { address: { value: '260763456789' } } })
  const payout = { kind: 'payout', version: 'v1', path: '/payouts', text }
  const page = await actAndSee(mock, 'send-payment', { ...payout, scenario: 'slow-approval' })
  const { payoutId } = JSON.parse(text)
  t.match(page, 'X-Momock-Scenario')
  t.match(page, 'slow-approval')
  const accepted = await actAndSee(mock, 'send-payment', payout)
  t.match(accepted, `<h2>payout <code>${payoutId}</code>`)
  t.match(accepted, `/__admin/ui/payments/payout/${payoutId}`)
  await mock.call('POST', '/__admin/clock/advance', { by: '1h' })
  t.match(await see(mock, `/try?sent=payout/${payoutId}`), /<h2>payout.*COMPLETED/s)
})

t.test('a refused request stays in the form, with the reason', async (t) => {
  const mock = await openSandbox(t)
  for (const [text, reason] of [
    ['{ "amount":', /correct the text|not JSON/],
    [JSON.stringify({ ...deposit(), amount: '0' }), /amount/]
  ] as Array<[string, RegExp]>) {
    const page = await actAndSee(mock, 'send-payment', { ...fields, text })
    t.match(page, /class="problem"/)
    t.match(page, reason)
    t.match(page, `\n${text}</textarea>`)
  }
})

t.test('the code follows the text, and its content is escaped', async (t) => {
  const mock = await openSandbox(t)
  const preview = (text: string) =>
    visit(mock, '/__admin/ui/try', { method: 'POST', body: new URLSearchParams({ text }) })
  t.match((await preview('{ no')).text, /The body is not JSON/)
  const { text } = await preview('{ "a": "<script>alert(1)</script>" }')
  t.notMatch(text, '<script>alert')
  t.match(text, '&lt;script&gt;alert(1)')
})

t.test('the code runs in every language', async (t) => {
  const mock = await build(t)
  mock.app.links.base = mock.url
  const folder = mkdtempSync(join(tmpdir(), 'momock-code-'))
  const commands: Record<string, [program: string, file: string]> = {
    Node: [process.execPath, 'try.mjs'],
    Python: ['python3', 'try.py'],
    PHP: ['php', 'try.php']
  }
  t.strictSame(Object.keys(commands), Object.keys(languages))
  for (const [language, [program, file]] of Object.entries(commands)) {
    if (language !== 'Node' && (await run(program, ['--version']).catch(() => {})) === undefined) {
      const skip = process.env.SAMPLE_TESTS !== 'required' && `${language} is not installed`
      t.ok(skip, language, { skip })
      continue
    }
    const text = JSON.stringify({ ...deposit(), clientReferenceId: "it's '''quoted''' \\ \"so\"" })
    const { text: page } = await visit(mock, '/__admin/ui/try', {
      method: 'POST',
      body: new URLSearchParams({ text })
    })
    const [, code = ''] = new RegExp(`id="code-${language}">(.*?)</code>`, 's').exec(page) ?? []
    const path = join(folder, file)
    writeFileSync(path, unescape(code).replaceAll('&gt;', '>').replaceAll('&amp;', '&'))
    const { stdout } = await run(program, [path])
    t.match(stdout, 'ACCEPTED', language)
  }
  const { payments } = (
    await mock.call('GET', "/__admin/payments?search=it's%20'''quoted'''%20%5C%20%22so%22")
  ).body
  t.ok(payments.length > 0, 'the reference arrives as it was typed')
})

t.test('rates are the events of each second, measured while somebody reads them', async (t) => {
  const counters = new Counters()
  const clock = testMachine()
  const rates = new Rates(counters, clock)
  t.teardown(() => rates.close())
  const { statuses } = counters.addRoute('POST', '/v2/deposits')
  const { statuses: adminStatuses } = counters.addRoute('GET', '/__admin/payments')
  statuses.set(200, 1)
  t.strictSame(rates.read(), [], 'earlier events are left out')
  statuses.set(200, 5).set(400, 1)
  counters.initiations.set('v2 deposit ACCEPTED', 3).set('v2 deposit DUPLICATE', 1)
  counters.attempts.add('acknowledged')
  counters.attempts.add('failed')
  adminStatuses.set(200, 1)
  clock.time += 1000
  rates.sample()
  clock.time += 1000
  rates.sample()
  t.match(rates.read(), [
    { durationMs: 1000, requests: 5, payments: 3, callbacks: 2 },
    { durationMs: 1000, requests: 0, payments: 0, callbacks: 0 }
  ])
  for (let n = 0; n < 200; n++) {
    clock.time += 1000
    rates.sample()
  }
  t.equal(rates.read().length, 120)
})

t.test('the plot has a scale that is easy to read', async (t) => {
  t.strictSame([1, 3, 7, 10, 11, 4321].map(niceCeiling), [1, 5, 10, 10, 20, 5000])
  const mock = await openSandbox(t)
  t.match(await see(mock, '/load'), /Measuring.*<svg class="plot"/s)
})
