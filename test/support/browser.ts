import { existsSync } from 'node:fs'
import { chromium, type Browser } from 'playwright-core'

/** The browser that drives the pages: Debian's chromium, or the one that CHROMIUM_PATH names. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Is there a browser at all? */
export const hasBrowser = existsSync(chromiumPath)

/** It looks nothing up, sends nothing home, and starts no more processes than it needs. */
const quiet = [
  '--renderer-process-limit=1',
  '--disable-features=SpareRendererForSitePerProcess,Translate,OptimizationHints,MediaRouter',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--disable-extensions',
  '--no-default-browser-check'
]

export function launch (more: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [...quiet, ...more],
    headless: true
  })
}

/** A request to a mock, as its merchant. */
export async function call (
  url: string,
  method: string,
  path: string,
  body?: object
): Promise<any> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: 'Bearer test-token',
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' })
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  return await response.json()
}
