import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { Pool } from 'undici'
import type { Momock } from '../../src/index.ts'
import { chromiumPath, hasBrowser } from '../support/browser.ts'
import { oneServerOptions } from '../support/servers.ts'
import { makeLong } from '../support/full.ts'
import { limitEachTest } from '../support/limits.ts'
import { sharedBrowser } from '../support/shared-browser.ts'
import { but, requests } from '../support/examples.ts'
import { until } from '../support/helper.ts'
import { createMomock } from '../support/momock.ts'

/**
 * Header, list of payments and page of a payment in a real browser. BROWSER_TESTS=required fails
 * without one.
 */

const isRequired = process.env.BROWSER_TESTS === 'required'
const options = { skip: !hasBrowser && !isRequired && `no browser at ${chromiumPath}` }
const home = '/__admin/ui'

limitEachTest()

let browser: Browser
let server: Momock

t.before(async () => {
  if (!hasBrowser && !isRequired) return
  browser = await sharedBrowser()
  server = await createMomock({ clock: 'frozen' })
  t.teardown(async () => {
    await server.close()
  })
})

let accounts = 0

/** One account of the server, with its own payments and a sink for its callbacks. */
class Shop {
  readonly name = `sandbox-shop-${++accounts}`
  readonly admin = server.as(this.name)

  async open (t: Test, path: string, context: BrowserContextOptions = {}): Promise<Page> {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...context })
    t.teardown(() => page.close())
    page.on('pageerror', (error) => t.fail(error.message))
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) t.fail(message.text())
    })
    const mark = path.includes('?') ? '&' : '?'
    await page.goto(`${server.url}${home}${path}${mark}account=${this.name}`)
    return page
  }

  /** Sends a deposit, and returns its identifier. */
  async pay (number = '260763456789', more: object = {}): Promise<string> {
    const example: any = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)
    const body = { ...example, ...more }
    const response = await fetch(`${server.url}/v2/deposits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.name}`, 'content-type': 'application/json' },
      body: JSON.stringify(body)
    })
    if (!response.ok) throw new Error(await response.text())
    return body.depositId
  }

  async useSink (): Promise<void> {
    const url = `${server.url}/__admin/sink/shop`
    await this.admin.configure({ callbacks: { deposits: url, refunds: url } })
  }
}

/** Curl command of the last action. */
const shownCurl = async (page: Page): Promise<string> =>
  (await page.locator('#toast pre').textContent()) ?? ''

// The events of all accounts are those of one server.
const eventsOptions = { skip: options.skip || oneServerOptions.skip }
t.test('a sandbox account appears in the switcher when it is made', eventsOptions, async (t) => {
  const shop = new Shop()
  await shop.pay()
  const page = await shop.open(t, '/payments')
  const other = new Shop()
  await other.pay()
  await page.locator('#account-menu > summary').click()
  await page.getByRole('link', { name: other.name, exact: true }).click()
  await page.waitForURL(`**/payments?account=${other.name}`)
})

t.test('the clock moves to the next event and until nothing is due', options, async (t) => {
  const shop = new Shop()
  await shop.useSink()
  await shop.pay()
  const page = await shop.open(t, '/payments')
  await page.evaluate('window.isSamePage = true')
  for (const [label, status, call] of [
    ['Next event', 'PROCESSING', '"until":"next"'],
    ['Until idle', 'COMPLETED', '"until":"idle"'],
    ['+15 min', 'COMPLETED', '"by":"15m"'],
    ['+1 min', 'COMPLETED', '"by":"1m"']
  ]) {
    const button = page.locator('.clock-bar').getByRole('button', { name: label })
    await button.focus()
    await page.keyboard.press('Enter')
    await page.locator('#toast pre', { hasText: call }).waitFor({ state: 'attached' })
    await page.locator('tbody .badge', { hasText: status }).waitFor()
    const focused = await page.evaluate('document.activeElement.textContent')
    t.equal(focused, label, 'the focus stays')
  }
  t.ok(await page.evaluate('window.isSamePage'), 'the page was never loaded again')
})

t.test('Escape closes a menu and returns to its button', options, async (t) => {
  const shop = new Shop()
  await shop.pay()
  const page = await shop.open(t, '/payments')
  await page.locator('#account-menu > summary').focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Escape')
  t.equal(await page.locator('#account-menu[open]').count(), 0)
  t.ok(await page.evaluate("document.activeElement.closest('#account-menu') !== null"))
})

t.test('a reset is taken back, and the page stays', options, async (t) => {
  const shop = new Shop()
  const id = await shop.pay()
  const page = await shop.open(t, '/payments')
  await page.locator('#account-menu > summary').click()
  await page.getByText('Reset…').click()
  await page.getByRole('button', { name: 'Reset the account' }).click()
  await page.getByText('The account was reset.').waitFor()
  t.match(await shownCurl(page), '/__admin/reset')
  t.equal(await page.getByRole('link', { name: id.slice(0, 8) }).count(), 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The snapshot was restored.').waitFor()
  await page.getByRole('link', { name: id.slice(0, 8) }).waitFor()
  await page.getByRole('button', { name: 'Dismiss' }).click()
  t.notMatch(page.url(), /result=/)
})

t.test('search finds a payment by identifier, phone number and reference', options, async (t) => {
  const shop = new Shop()
  const id = await shop.pay('260763456789', { clientReferenceId: 'ORDER-77' })
  await shop.pay('260763451111', { clientReferenceId: 'ORDER-78' })
  const page = await shop.open(t, '/payments')
  for (const text of [id, '260763456789', 'order-77']) {
    await page.keyboard.press('/')
    await page.keyboard.type(text)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('search') === text)
    t.strictSame(await page.locator('tbody code').allInnerTexts(), [id.slice(0, 8)], text)
  }
})

t.test('tabs count the payments by status and filter the list', options, async (t) => {
  const shop = new Shop()
  await shop.pay()
  await shop.pay()
  const declined = await shop.pay('260763456039')
  await shop.admin.advance('1m')
  const page = await shop.open(t, '/payments')
  t.strictSame(
    (await page.locator('.statuses a').allInnerTexts()).map((text) =>
      text.replace(/\s+/g, ' ').trim()
    ),
    ['All 3', 'COMPLETED 2', 'FAILED 1']
  )
  await page.locator('.statuses a', { hasText: 'FAILED' }).click()
  await page.waitForURL(/status=FAILED/)
  t.strictSame(await page.locator('tbody code').allInnerTexts(), [declined.slice(0, 8)])
  t.match(await page.locator('tbody').innerText(), 'PAYMENT_NOT_APPROVED')
  await page.locator('#filters > summary').click()
  await page.getByLabel('From (UTC)').fill('2099-01-01T00:00:00')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByText('No payments match.').waitFor()
})

t.test('an update keeps the focus and what was typed', options, async (t) => {
  const shop = new Shop()
  await shop.pay()
  const page = await shop.open(t, '/payments')
  await page.locator('#filters > summary').click()
  await page.getByLabel('Provider').fill('MTN')
  const id = await shop.pay()
  await page.getByRole('link', { name: id.slice(0, 8) }).waitFor()
  t.equal(await page.getByLabel('Provider').inputValue(), 'MTN')
  await page.keyboard.type('_MOMO_ZMB')
  t.equal(await page.getByLabel('Provider').inputValue(), 'MTN_MOMO_ZMB')
})

/** Payments per second that the page must stand. A slow machine creates fewer of them. */
const loadRate = 1000
const shortestLoadMs = 3000
const longestLoadMs = 120_000

/** Creates payments at a rate until somebody ends it, and returns how many there are. */
async function createLoad (
  shop: Shop,
  isDone: () => boolean
): Promise<[count: number, ms: number]> {
  const pool = new Pool(server.url, { connections: 50 })
  const begun = performance.now()
  const elapsed = (): number => performance.now() - begun
  const send = async (): Promise<void> => {
    const { body } = await pool.request({
      method: 'POST',
      path: '/v2/deposits',
      headers: { authorization: `Bearer ${shop.name}`, 'content-type': 'application/json' },
      body: JSON.stringify(requests.v2.deposit!())
    })
    await body.dump()
  }
  let count = 0
  while (elapsed() < longestLoadMs && (!isDone() || elapsed() < shortestLoadMs)) {
    const due = Math.min(Math.ceil((elapsed() / 1000) * loadRate) - count, loadRate / 10)
    await Promise.all(Array.from({ length: due }, send))
    count += due
    await new Promise((resolve) => setImmediate(resolve))
  }
  const ms = elapsed()
  await pool.close()
  return [count, ms]
}

const slow = makeLong(options)

t.test('1,000 payments per second are at most four updates in any second', slow, async (t) => {
  const shop = new Shop()
  await shop.pay()
  const page = await shop.open(t, '/payments')
  await page.evaluate(`
    window.updates = []
    // One update changes many rows, which the browser tells of together.
    new MutationObserver((changes) => {
      const isUpdate = changes.some(({ addedNodes }) => addedNodes.length > 0)
      if (isUpdate) window.updates.push(performance.now())
    }).observe(document.querySelector('#main'), { childList: true, subtree: true })`)
  let hasReacted = false
  let isLoading = true
  const load = createLoad(shop, () => hasReacted).finally(() => {
    isLoading = false
  })
  const readUpdates = (): Promise<number[]> => page.evaluate<number[]>('window.updates')
  // The click comes when the page is busy with new payments.
  await until(readUpdates, ({ length }) => length >= 3)
  await page.locator('#call > summary').click()
  await page.locator('#call pre').waitFor()
  t.ok(isLoading, 'a click is answered under load')
  hasReacted = true
  const [count, ms] = await load
  t.comment(`${Math.round((count * 1000) / ms)} payments per second for ${Math.round(ms)} ms`)
  // The page shows the last change. It counts all payments only if it has the time.
  const last = await shop.pay()
  await page.getByRole('link', { name: last.slice(0, 8) }).waitFor()
  t.ok(await page.locator('#call pre').isVisible(), 'the part stays open')
  const updates = await readUpdates()
  const inOneSecond = updates.map(
    (start) => updates.filter((at) => at >= start && at < start + 1000).length
  )
  t.ok(Math.max(...inOneSecond) <= 4, `${inOneSecond.join(' ')} updates in a second`)
})

t.test('the page of a payment moves it and explains a forged callback', options, async (t) => {
  const shop = new Shop()
  await shop.useSink()
  const id = await shop.pay('260763459993')
  const page = await shop.open(t, `/payments/deposit/${id}`)
  await page.getByRole('button', { name: 'Process' }).click()
  await page.getByText('The payment was moved.').waitFor()
  await page.getByLabel('Failure code').selectOption('INSUFFICIENT_BALANCE')
  await page.getByRole('button', { name: 'Fail' }).click()
  await page.getByText('moved by the tester: INSUFFICIENT_BALANCE').first().waitFor()
  t.match(await shownCurl(page), '"failureCode":"INSUFFICIENT_BALANCE"')
  for (const [wrong, call] of [
    ['forged COMPLETED: signed with a wrong key', '"status":"COMPLETED","wrongKey":true'],
    ['stale: the earlier status ACCEPTED', '"status":"ACCEPTED"'],
    ['duplicate: the same callback twice', '"duplicates":1']
  ]) {
    await page.getByLabel('Wrong callback').selectOption({ label: wrong })
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('The callback waits for the frozen clock').first().waitFor()
    await page.locator('#toast pre', { hasText: call }).waitFor({ state: 'attached' })
  }
  await shop.admin.advance('1s')
  const attempts = page.locator('ol.timeline a[href^="#callback-"]')
  await attempts.nth(4).waitFor()
  await attempts.nth(1).click()
  t.match(new URL(page.url()).hash, /^#callback-/)
  const [, forged] = await page.locator('details.entry[id^=callback-]').all()
  await forged.locator('> summary').click()
  await forged.locator('[id^=signature-] > summary').click()
  await forged.getByText('the signature does not match the signature base').last().waitFor()
  await forged.getByText('"@authority"').last().waitFor()
  t.strictSame(await page.locator('.record .changed').first().innerText(), '"type": "MSISDN",')
})

t.test('a refund leads from its deposit and back', options, async (t) => {
  const shop = new Shop()
  const id = await shop.pay()
  await shop.admin.advance('1s')
  const page = await shop.open(t, `/payments/deposit/${id}`)
  await page.getByLabel('Amount').fill('5.00')
  await page.getByRole('button', { name: 'Refund' }).click()
  await page.getByText('The refund was accepted.').waitFor()
  t.match(await shownCurl(page), `Authorization: Bearer ${shop.name}`)
  await page.locator('main table a[href*="/payments/refund/"]').click()
  await page.waitForURL(/payments\/refund/)
  await page.locator('.facts a').click()
  await page.waitForURL(new RegExp(id))
})

t.test('pages can be read without scripts, and as JSON', options, async (t) => {
  const shop = new Shop()
  const id = await shop.pay()
  const page = await shop.open(t, '/payments', { javaScriptEnabled: false })
  await page.getByRole('link', { name: id.slice(0, 8) }).click()
  await page.getByRole('button', { name: 'Until idle' }).click()
  await page.locator('.state-line .badge', { hasText: 'COMPLETED' }).waitFor()
  const url = page.url()
  const twin = await page.request.get(url, { headers: { accept: 'application/json' } })
  t.match(await twin.json(), { kind: 'deposit', id, status: 'COMPLETED' })
})

t.test('an update leaves what is selected, opened and pressed', options, async (t) => {
  const shop = new Shop()
  const first = await shop.pay()
  const page = await shop.open(t, '/payments')
  const row = page.locator(`#payment-deposit-${first}`)
  await page.locator('#account-menu > summary').click()
  await page.evaluate(`getSelection().selectAllChildren(document.querySelector('tbody code'))
    window.spoken = 0
    new MutationObserver(() => { window.spoken++ }).observe(
      document.getElementById('news'), { childList: true })`)
  const box = (await row.boundingBox())!
  await page.mouse.move(box.x + box.width - 4, box.y + 4)
  const second = await shop.pay('260763456039')
  await page.getByRole('link', { name: second.slice(0, 8) }).waitFor()
  t.equal(await page.evaluate('String(getSelection())'), first.slice(0, 8), 'the selection')
  t.ok(await page.locator('#account-menu[open]').count(), 'the menu')
  t.equal(await page.evaluate('window.spoken'), 0, 'a screen reader says nothing again')
  await page.evaluate('getSelection().removeAllRanges()')
  await page.keyboard.press('Escape')
  await row.hover({ position: { x: 300, y: 10 } })
  await page.mouse.down()
  const third = await shop.pay()
  await page.getByRole('link', { name: third.slice(0, 8) }).waitFor()
  await page.mouse.up()
  t.ok(await row.count(), 'the row is the same')
  await page.locator(`#payment-deposit-${third} td`).last().click()
  await page.waitForURL(new RegExp(third))
})
