import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { launch } from './browser.ts'
import { isFull, long } from './full.ts'

let browser: Promise<Browser> | undefined

/**
 * Browser of all tests in this process, closed after the last one. A start costs 2 s of processor
 * time. Each page or context that a test opens is separate from the others.
 */
export async function sharedBrowser (): Promise<Browser> {
  browser ??= launch().then((started) => {
    t.teardown(() => started.close())
    return started
  })
  return await browser
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Checks that axe finds no accessibility problems on a page. It takes about a second. */
export async function checkAccessibility (t: Test, page: Page, name: string): Promise<void> {
  if (!isFull) {
    t.pass(`${name}: what axe finds`, long)
    return
  }
  await page.evaluate(axe)
  const { violations } = await page.evaluate<any>(
    "axe.run(document, { resultTypes: ['violations'] })"
  )
  t.strictSame(
    violations.map(({ id, impact, nodes }: any) => ({
      id,
      impact,
      where: nodes.map(({ target, html }: any) => `${target.join(' ')}: ${html}`)
    })),
    [],
    `${name}: what axe finds`
  )
}
