import t from 'tap'
import { createMomock } from '../../src/index.ts'
import { chromiumPath, hasBrowser } from '../support/browser.ts'
import { makeLong } from '../support/full.ts'
import { checkAccessibility, sharedBrowser } from '../support/shared-browser.ts'

/** The guide in a real browser. */

const isRequired = process.env.BROWSER_TESTS === 'required'
const options = makeLong({ skip: !hasBrowser && !isRequired && `no browser at ${chromiumPath}` })

t.test('a reader searches and reads the guide, with and without a script', options, async (t) => {
  await using mock = await createMomock()
  const browser = await sharedBrowser()
  for (const [colorScheme, width, javaScriptEnabled] of [
    ['light', 1280, true],
    ['dark', 390, false]
  ] as const) {
    const viewport = { width, height: 740 }
    const context = await browser.newContext({ colorScheme, viewport, javaScriptEnabled })
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    page.on('console', (message) => t.fail(message.text()))
    page.on('pageerror', (error) => t.fail(error.message))
    await page.goto(`${mock.url}/__admin/docs/guide`)
    await page.getByLabel('Search').fill('3rd payout fail')
    await page.getByLabel('Search').press('Enter')
    await page.getByRole('link', { name: 'I want to …: Decide how payments end' }).click()
    await page.getByRole('heading', { level: 1, name: 'I want to …' }).waitFor()
    if (javaScriptEnabled) await checkAccessibility(t, page, colorScheme)
    const box = await page.locator('main').boundingBox()
    t.ok(box !== null && box.x + box.width <= width, `${width} pixels are enough`)
    await context.close()
  }
})
