import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Momock } from '../../src/index.ts'
import { call, chromiumPath, hasBrowser } from '../support/browser.ts'
import { limitEachTest } from '../support/limits.ts'
import { sharedBrowser } from '../support/shared-browser.ts'
import { deposit } from '../support/process.ts'
import { createMomock } from '../support/momock.ts'

/** The dashboard in a real browser. BROWSER_TESTS=required fails without one. */

const isRequired = process.env.BROWSER_TESTS === 'required'
const options = { skip: !hasBrowser && !isRequired && `no browser at ${chromiumPath}` }

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
async function open (t: Test, path: string, width = 1440, scheme?: 'dark'): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    ...(scheme !== undefined && { colorScheme: scheme })
  })
  t.teardown(() => page.close())
  page.on('pageerror', (error) => t.fail(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) t.fail(message.text())
  })
  await page.goto(mock.url + path)
  return page
}

/** Creates a deposit that waits, and returns its identifier. */
async function makeDeposit (): Promise<string> {
  const payer = {
    type: 'MMO',
    accountDetails: { phoneNumber: '260763459993', provider: 'MTN_MOMO_ZMB' }
  }
  const body = { ...deposit(), payer, metadata: [{ momock: 'phone' }] }
  await call(mock.url, 'POST', '/v2/deposits', body)
  return body.depositId
}

t.test('a new payment appears without a reload, and open parts stay open', options, async (t) => {
  const page = await open(t, '/')
  t.equal(new URL(page.url()).pathname, '/__admin/ui/payments')
  await page.locator('#call summary').click()
  const id = await makeDeposit()
  await page.getByRole('link', { name: id.slice(0, 8) }).waitFor()
  t.ok(await page.locator('#call pre').isVisible())
})

t.test('the page of a deleted account says so, with or without a form', options, async (t) => {
  await call(mock.url, 'POST', '/__admin/accounts', { name: 'gone' })
  const pages: Page[] = []
  for (const path of ['payments', 'callbacks']) {
    pages.push(await open(t, `/__admin/ui/${path}?account=gone`))
  }
  await fetch(`${mock.url}/__admin/accounts/gone`, { method: 'DELETE' })
  for (const page of pages) {
    await page.getByRole('heading', { name: 'This is not possible' }).waitFor()
    t.notMatch(await page.locator('body').innerText(), 'null')
    t.equal(await page.locator('header').count(), 0)
  }
})

t.test('a payment is completed with its button', options, async (t) => {
  const id = await makeDeposit()
  const page = await open(t, `/__admin/ui/payments/deposit/${id}`)
  await page.getByRole('button', { name: 'Complete' }).click()
  await page.getByText('The payment was moved.').waitFor()
  t.match(await page.locator('#toast pre').textContent(), /move/)
  t.equal((await call(mock.url, 'GET', `/v2/deposits/${id}`)).data.status, 'COMPLETED')
  t.match(await page.locator('.timeline').textContent(), /COMPLETED/)
})

t.test('the keyboard reaches the clock and freezes it', options, async (t) => {
  const page = await open(t, '/__admin/ui/requests')
  await page.getByRole('button', { name: 'Freeze' }).focus()
  await page.keyboard.press('Enter')
  await page.getByText('The clock is frozen.').waitFor()
  t.equal((await call(mock.url, 'GET', '/__admin/clock')).mode, 'frozen')
  await call(mock.url, 'PUT', '/__admin/clock', { mode: 'running' })
})
