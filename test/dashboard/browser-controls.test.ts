import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Momock } from '../../src/index.ts'
import { call, chromiumPath, hasBrowser } from '../support/browser.ts'
import { makeLong } from '../support/full.ts'
import { limitEachTest } from '../support/limits.ts'
import { sharedBrowser } from '../support/shared-browser.ts'
import { requests } from '../support/examples.ts'
import { createMomock } from '../support/momock.ts'

/** Callbacks, requests, controls, "Try it" and checks of the dashboard in a real browser. */

const isRequired = process.env.BROWSER_TESTS === 'required'
const options = { skip: !hasBrowser && !isRequired && `no browser at ${chromiumPath}` }
const deposit = requests.v2.deposit!

limitEachTest()

let browser: Browser
let mock: Momock

t.before(async () => {
  if (!hasBrowser && !isRequired) return
  browser = await sharedBrowser()
  mock = await createMomock()
  t.teardown(async () => {
    await mock.close()
  })
})

/** Opens a page. The test fails if it breaks its policy or throws. */
async function open (t: Test, path: string, width = 1440): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 } })
  t.teardown(() => page.close())
  page.on('pageerror', (error) => t.fail(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) t.fail(message.text())
  })
  await page.goto(`${mock.url}/__admin/ui${path}`)
  return page
}

const ask = (method: string, path: string, body?: object): Promise<any> =>
  call(mock.url, method, path, body)

t.test('callbacks are set up, arrive in the sink, and appear by themselves', options, async (t) => {
  const page = await open(t, '/callbacks')
  await page.getByText('Where callbacks are sent').click()
  await page.getByRole('button', { name: 'Use the built-in receiver' }).click()
  await page.getByText('The callback URLs were changed.').waitFor()
  await ask('POST', '/v2/deposits', deposit())
  await page.locator('[id^=callback-] .badge', { hasText: 'delivered' }).first().waitFor()
  await page.locator('[id^=callback-] summary').first().click()
  await page.getByRole('link', { name: 'Sink dashboard' }).last().click()
  await page.getByText('signature valid').first().waitFor()
})

t.test('the check of a scenario says that its text is too long', options, async (t) => {
  const page = await open(t, '/scenarios')
  const check = page.locator('#check')
  await page.locator('#text').fill('fail: UNKNOWN_ERROR')
  await check.getByText('"fail":"UNKNOWN_ERROR"').waitFor()
  await page.locator('#text').fill('#'.repeat(20_001))
  await check.getByText('text has 20,001 characters, and a form takes 20,000').waitFor()
  t.equal(await check.getByText('"fail"').count(), 0)
})

t.test('a refused request appears, and its correction is sent', options, async (t) => {
  const page = await open(t, '/requests')
  await ask('POST', '/v2/deposit', deposit())
  const entry = page.locator('details', { hasText: 'unmatched' }).first()
  await entry.waitFor()
  await entry.locator('summary').first().press('Enter')
  await entry.getByText('/v2/deposits in place of /v2/deposit').waitFor()
  await entry.getByRole('button', { name: 'Copy' }).first().click()
  await entry.getByRole('button', { name: 'Send the nearest request' }).click()
  await page.getByText('The request was sent.').waitFor()
})

t.test(
  'the scenario editor checks while somebody types, and keeps the text',
  options,
  async (t) => {
    const page = await open(t, '/scenarios')
    const editor = page.getByLabel('Scenario, in YAML or JSON')
    await editor.fill('when: { kind: gift }')
    await page.locator('#check', { hasText: 'when.kind must be' }).waitFor()
    await editor.fill('when: { kind: deposit }\nreject: INVALID_CURRENCY\ntimes: 1')
    await page.locator('#check', { hasText: /It matches [1-9]/ }).waitFor()
    // A change elsewhere updates the list, and leaves the form alone.
    await ask('POST', '/__admin/scenarios', {
      name: 'other',
      when: { country: 'KEN' },
      latency: '1ms'
    })
    await ask('POST', '/v2/deposits', deposit())
    await page.locator('#scenario-other').waitFor()
    t.match(await editor.inputValue(), 'INVALID_CURRENCY')
    await page.locator('#name').fill('rejected')
    await page.getByRole('button', { name: 'Add' }).click()
    await page.locator('#scenario-rejected', { hasText: 'used 0 times, 1 left' }).waitFor()
    await ask('POST', '/v2/deposits', deposit())
    await page.locator('#scenario-rejected', { hasText: 'used once, 0 left' }).waitFor()
  }
)

t.test('an outage is started and shown with its end', options, async (t) => {
  const page = await open(t, '/providers')
  const provider = page.locator('#provider-ZAMTEL_ZMB')
  await provider.locator('summary').click()
  await provider.getByLabel('Outage for').fill('15')
  await provider.getByRole('button', { name: 'Start the outage' }).click()
  await page.getByText('The provider was changed.').waitFor()
  t.match(await provider.locator('summary').innerText(), /CLOSED.*until/s)
})

t.test('a test number leads to a payment that is sent and followed', options, async (t) => {
  const page = await open(t, '/test-numbers')
  await page.getByRole('link', { name: 'deposit with 260763456039' }).click()
  const text = page.getByLabel('Body of POST /v2/deposits')
  t.match(JSON.parse(await text.inputValue()), {
    payer: { accountDetails: { phoneNumber: '260763456039' } }
  })
  await page.getByLabel('Request').selectOption('v2 payout')
  await page.getByLabel('Body of POST /v2/payouts').waitFor()
  await page.goBack()
  await text.fill((await text.inputValue()).replace('15.00', '23.00'))
  await page.locator('#code-curl', { hasText: '23.00' }).waitFor()
  await page.locator('#language-Python summary').click()
  t.match(await page.locator('#code-Python').innerText(), /urllib/)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('#followed .badge', { hasText: 'FAILED' }).first().waitFor()
  await page.getByRole('link', { name: 'Open the payment' }).click()
  await page.getByText('PAYMENT_NOT_APPROVED').first().waitFor()
})

t.test('a callback that does not arrive has advice, and is tried again', options, async (t) => {
  const page = await open(t, '/callbacks?state=PENDING')
  const before = (await ask('GET', '/__admin/account')).callbacks
  await ask('PATCH', '/__admin/account', { callbacks: { deposits: 'http://127.0.0.1:9/' } })
  await ask('POST', '/v2/deposits', deposit())
  const entry = page.locator('[id^=callback-]', { hasText: 'no answer' }).first()
  await entry.locator('> summary').click()
  await entry.getByText('No server listens there.').waitFor()
  await entry.getByRole('button', { name: 'Retry now' }).click()
  await page.getByText('The callback is sent again.').waitFor()
  t.match(await page.locator('#toast pre').textContent(), /callbacks\/\d+\/resend/)
  await ask('PATCH', '/__admin/account', { callbacks: before })
})

t.test('a fault is switched on and off, and a wallet is topped up', options, async (t) => {
  const page = await open(t, '/faults')
  const fault = page.locator('tr', { hasText: 'HTTP 503' }).first()
  await fault.getByLabel('Number of payments').fill('3')
  await fault.getByRole('button', { name: 'Switch on' }).click()
  await fault.getByText('on, 3 left').waitFor()
  await fault.getByRole('button', { name: 'Switch off' }).click()
  await fault.getByText('off', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Wallets' }).click()
  const wallet = page.locator('tr', { hasText: 'KES' })
  await wallet.getByLabel('Amount for KEN KES').first().fill('250.00')
  await wallet.getByRole('button', { name: 'Top up' }).click()
  await wallet.getByText('1,000,250.00').waitFor()
})

t.test('coverage lists what was used, and all invariants hold', options, async (t) => {
  const page = await open(t, '/coverage')
  const group = page.locator('#group-kinds')
  await group.locator('summary').click()
  await group.getByText('deposit').first().waitFor()
  await page.getByRole('link', { name: 'Invariants' }).click()
  await page.getByRole('heading', { name: 'All invariants hold' }).waitFor()
})

t.test('the plot of the load follows the requests', makeLong(options), async (t) => {
  const page = await open(t, '/load')
  const rate = page.locator('tr', { hasText: 'Requests per second' }).locator('td').nth(2)
  while (Number(await rate.innerText()) === 0) {
    await Promise.all(Array.from({ length: 10 }, () => ask('POST', '/v2/deposits', deposit())))
  }
  t.match(await page.locator('.plot').getAttribute('aria-label'), /Rates of the last \d+ seconds/)
  t.match(await page.locator('.line-payments').getAttribute('points'), /\d/)
})
