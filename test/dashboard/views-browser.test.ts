import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { Momock } from '../../src/index.ts'
import { chromiumPath, hasBrowser } from '../support/browser.ts'
import { fillAccount, type Views } from '../support/dashboard-account.ts'
import { makeLong } from '../support/full.ts'
import { limitEachTest } from '../support/limits.ts'
import { checkAccessibility, sharedBrowser } from '../support/shared-browser.ts'
import { createMomock } from '../support/momock.ts'

/**
 * Rules of every page of the dashboard in a real browser: size, contrast, roles, keyboard, markup.
 * BROWSER_TESTS=required fails without one.
 */

const isRequired = process.env.BROWSER_TESTS === 'required'
const options = { skip: !hasBrowser && !isRequired && `no browser at ${chromiumPath}` }

limitEachTest()

let browser: Browser
let mock: Momock
let views: Views

t.before(async () => {
  if (!hasBrowser && !isRequired) return
  browser = await sharedBrowser()
  mock = await createMomock({ clock: 'frozen' })
  views = await fillAccount(t, mock.url)
  t.teardown(async () => {
    await mock.close()
  })
})

/** Opens a page. The test fails if it breaks its policy or throws. */
async function openPage (t: Test): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  t.teardown(() => page.close())
  page.on('pageerror', (error) => t.fail(error.message))
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) t.fail(message.text())
  })
  return page
}

/** Opens the parts of a page, the first three of a list, and the menus, which close each other. */
const openParts = `for (const part of document.querySelectorAll('details:nth-of-type(-n+3)')) {
  part.removeAttribute('name')
  part.open = true
}`

/** Parts that are wider than their place: the page itself, and parts that would scroll sideways. */
const findWide = `[document.documentElement, ...document.querySelectorAll('main *')]
  .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 1)
  .filter((part) => getComputedStyle(part).display !== 'inline')
  .filter((part) => !part.matches('input, select, textarea, thead *'))
  .map((part) => part.tagName + '.' + part.className + ' ' + part.scrollWidth)`

t.test('every page fits on screens of 390, 1024 and 1440 pixels', options, async (t) => {
  const page = await openPage(t)
  for (const [name, path] of Object.entries(views)) {
    await page.goto(`${mock.url}/__admin/ui${path}`)
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      t.strictSame(await page.evaluate(findWide), [], `${name} at ${width} pixels`)
    }
    await page.evaluate(openParts)
    for (const width of [390, 1024, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      t.strictSame(await page.evaluate(findWide), [], `${name} at ${width} pixels, all open`)
    }
    t.notOk(await page.evaluate("'hacked' in window"), `${name} runs no markup`)
    t.equal(await page.locator('img, main script').count(), 0, `${name} has no markup of others`)
  }
})

/** Pages with the template of another page. */
const likeOthers = ['searched', 'deposit in v1', 'split payment', 'checkout']

t.test(
  'no page has accessibility problems, light or dark, wide or narrow',
  makeLong(options),
  async (t) => {
    const page = await openPage(t)
    for (const [name, path] of Object.entries(views)) {
      if (likeOthers.includes(name)) continue
      await page.goto(`${mock.url}/__admin/ui${path}`)
      await page.evaluate(openParts)
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [1440, 'dark'],
        [390, 'dark'],
        [390, 'light']
      ] as const) {
        await page.setViewportSize({ width, height: 900 })
        await page.emulateMedia({ colorScheme })
        await checkAccessibility(t, page, `${name} ${width} ${colorScheme}`)
      }
    }
  }
)

/** Elements that the keyboard must reach. A live page replaces them by others in the same order. */
const stopElements = `[...document.querySelectorAll(
  'a[href], button:enabled, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'
)].filter((element) => element.checkVisibility())`

const readStops = `${stopElements}.map(({ outerHTML }) => outerHTML.slice(0, 120))`

/** Place of the element with the focus, and whether a reader sees that it has the focus. */
const readFocus = `(() => {
  const element = document.activeElement
  const { outlineStyle, outlineWidth } = getComputedStyle(element)
  return [${stopElements}.indexOf(element), outlineStyle !== 'none' && outlineWidth !== '0px']
})()`

t.test(
  'the keyboard reaches everything on every page, and shows where it is',
  options,
  async (t) => {
    const page = await openPage(t)
    for (const [name, path] of Object.entries(views)) {
      await page.goto(`${mock.url}/__admin/ui${path}`)
      const stops = await page.evaluate<string[]>(readStops)
      const reached = new Set<number>()
      // A field for a time has several stops of its own.
      for (let n = 0; n < stops.length * 2 + 20 && reached.size < stops.length; n++) {
        await page.keyboard.press('Tab')
        const [stop, isShown] = await page.evaluate<[number, boolean]>(readFocus)
        if (stop === -1) continue
        reached.add(stop)
        if (!isShown) t.fail(`${name}: the focus of ${stops[stop]} is not visible`)
      }
      const missed = stops.filter((_stop, n) => !reached.has(n))
      t.strictSame(missed, [], `${name}: ${stops.length} stops`)
    }
  }
)
