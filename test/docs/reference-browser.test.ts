import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { createMomock } from '../../src/index.ts'
import { chromiumPath, hasBrowser } from '../support/browser.ts'
import { makeLong } from '../support/full.ts'
import { checkAccessibility, sharedBrowser } from '../support/shared-browser.ts'

/** The reference in a real browser. */

const isRequired = process.env.BROWSER_TESTS === 'required'
const options = { skip: !hasBrowser && !isRequired && `no browser at ${chromiumPath}` }
const longOptions = makeLong(options)

/** Checks that a page has no accessibility problems and is not wider than the screen. */
async function inspect (t: Test, page: Page, name: string): Promise<void> {
  await checkAccessibility(t, page, name)
  const [wide, seen] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]'
  )
  t.ok(wide <= seen, `${name}: ${wide} of ${seen} pixels`)
}

t.test('a reader finds, copies and sends a call with the keyboard', longOptions, async (t) => {
  await using mock = await createMomock()
  const browser = await sharedBrowser()
  for (const [colorScheme, width] of [
    ['light', 1280],
    ['dark', 360]
  ] as const) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 740 } })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) t.fail(message.text())
    })
    page.on('pageerror', (error) => t.fail(error.message))
    await page.goto(`${mock.url}/__admin/docs`)
    await inspect(t, page, `first page, ${colorScheme}`)
    await page.keyboard.press('/')
    await page.keyboard.type('initiate deposit /v2/')
    await page.getByText(/^\d operations$/).waitFor({ state: 'attached' })
    const link = page.locator('nav li:not([hidden]) a[href$="#v2InitiateDeposit"]')
    await link.focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${mock.url}/__admin/docs/v2-deposits#v2InitiateDeposit`)
    await inspect(t, page, `a group, ${colorScheme}`)
    const call = page.locator('#v2InitiateDeposit')
    await call.getByRole('button', { name: 'Copy' }).first().focus()
    await page.keyboard.press('Enter')
    await call.getByRole('button', { name: /Copied|Ctrl-C/ }).waitFor()
    await call.getByRole('button', { name: 'Send POST' }).press('Enter')
    await call.getByText(/^200 OK in \d+ ms$/).waitFor()
    t.match(await call.locator('.result pre').innerText(), /"(ACCEPTED|DUPLICATE_IGNORED)"/)
    const body = call.getByLabel('Body')
    const { depositId } = JSON.parse(await body.inputValue())
    await call.getByRole('button', { name: 'New depositId' }).press('Enter')
    const renewed = JSON.parse(await body.inputValue()).depositId
    t.match(renewed, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    t.not(renewed, depositId)
    await call.getByRole('button', { name: 'Send POST' }).press('Enter')
    await call.locator('.result').getByText(renewed).waitFor()
    t.match(await call.locator('.result pre').innerText(), /"ACCEPTED"/)
    await call.getByLabel('Token of the account').fill('wrong')
    await call.getByRole('button', { name: 'Send POST' }).press('Enter')
    await call.locator('.result').getByText(/^401 /).waitFor()
    await page.goto(`${mock.url}/__admin/docs/v2-payouts`)
    const bulk = page.locator('#v2InitiatePayouts')
    const before = await bulk.getByLabel('Body').inputValue()
    await bulk.getByRole('button', { name: 'New payoutId' }).click()
    t.not(await bulk.getByLabel('Body').inputValue(), before)
    t.equal(
      await page.getByLabel('Token of the account').first().inputValue(),
      'wrong',
      'a typed token is kept in the tab'
    )
    await context.close()
  }
})

t.test('the reference can be read without scripts', makeLong(options), async (t) => {
  await using mock = await createMomock()
  const browser = await sharedBrowser()
  const page = await browser.newPage({ javaScriptEnabled: false })
  t.teardown(() => page.close())
  await page.goto(`${mock.url}/__admin/docs`)
  await page.getByRole('main').getByRole('link', { name: 'Admin: Clock' }).click()
  await page.getByRole('heading', { level: 1, name: 'Admin: Clock' }).waitFor()
  t.equal(await page.locator('.send:visible, .search:visible').count(), 0)
  await page.locator('#advanceClock summary', { hasText: '200' }).click()
  t.ok(await page.locator('#advanceClock details pre').first().isVisible())
})
