import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { createMomock } from '../src/index.ts'
import { call, launch } from '../test/support/browser.ts'

/**
 * Takes the pictures of the pages that the documents show. The clock stands still, and so the
 * pictures stay the same.
 */

const folder = fileURLToPath(new URL('../docs/pictures', import.meta.url))
const good = '260763456789'
const declined = '260763456039'
const returnUrl = 'http://127.0.0.1:9/back'

mkdirSync(folder, { recursive: true })
const mock = await createMomock({
  clock: 'frozen',
  accounts: [
    {
      name: 'default',
      companyName: 'Corner Shop',
      approval: 'phone',
      providers: ['ZMB', 'SEN', 'KEN', 'RWA']
    }
  ]
})
const browser = await launch()

let made = 0
const id = (): string => `00000000-0000-4000-8000-${String(++made).padStart(12, '0')}`
const ask = (method: string, path: string, body?: object): Promise<any> =>
  call(mock.url, method, path, body)
const advance = (by: string): Promise<unknown> => ask('POST', '/__admin/clock/advance', { by })

async function session (terms: object): Promise<string> {
  const { redirectUrl } = await ask('POST', '/v2/paymentpage', {
    depositId: id(),
    returnUrl,
    reason: 'Two tickets',
    ...terms
  })
  return redirectUrl
}

async function checkout (terms: object = {}): Promise<string> {
  const { redirectUrl } = await ask('POST', '/v2/checkouts', {
    checkoutId: id(),
    returnUrl,
    returnMethod: 'CUSTOMER_ACTION',
    countries: ['ZMB', 'KEN'],
    amounts: [
      { country: 'ZMB', currency: 'ZMW', amount: '15.50' },
      { country: 'KEN', currency: 'KES', amount: '120' }
    ],
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: good, provider: 'MTN_MOMO_ZMB', allowCustomerToOverride: true }
    },
    reason: { en: 'Order 1234', fr: 'Commande 1234' },
    ...terms
  })
  return redirectUrl
}

await ask('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-03-02T09:30:00Z' })

type Shot = (page: Page) => Promise<void>
const size = { width: 420, height: 780 }

const fixed = {
  amountDetails: { amount: '15.50', currency: 'ZMW' },
  phoneNumber: good,
  country: 'ZMB'
}
const json = (url: string): string => new URL(url).pathname

const shots: Array<[name: string, shot: Shot, options?: { colorScheme?: 'dark'; width?: number }]> =
  [
    [
      'payment-page',
      async (page) => {
        await page.goto(await session({ ...fixed }))
      }
    ],
    [
      'payment-page-free',
      async (page) => {
        await page.goto((await session({ language: 'FR' })) + '?country=ZMB')
        await page.getByLabel('Numéro de téléphone').pressSequentially('763456789')
        await page.getByRole('radio', { name: 'MTN', checked: true }).waitFor()
        await page.getByLabel('Montant').fill('15,50')
      }
    ],
    [
      'payment-page-waiting',
      async (page) => {
        const url = await session({ ...fixed })
        await ask('POST', json(url), { provider: 'MTN_MOMO_ZMB' })
        await advance('1s')
        await page.goto(url)
      },
      { colorScheme: 'dark' }
    ],
    [
      'phone',
      async (page) => {
        const { page: path } = await ask('GET', `/__admin/phone/${good}`)
        for (const { depositId } of (await ask('GET', `/__admin/phone/${good}`)).prompts) {
          await ask('POST', `/__admin/phone/${good}/deposits/${depositId}`, { decision: 'approve' })
        }
        const url = await session({
          ...fixed,
          amountDetails: { amount: '40', currency: 'ZMW' },
          customerMessage: 'Concert 7 March'
        })
        await ask('POST', json(url), { provider: 'MTN_MOMO_ZMB' })
        await advance('1s')
        await page.goto(mock.url + path)
      }
    ],
    [
      'payment-page-complete',
      async (page) => {
        const terms = { depositId: id(), ...fixed }
        const url = await session(terms)
        await ask('POST', json(url), { provider: 'MTN_MOMO_ZMB' })
        await advance('1s')
        await ask('POST', `/__admin/phone/${good}/deposits/${terms.depositId}`, {
          decision: 'approve'
        })
        await page.goto(url)
      }
    ],
    [
      'payment-page-expired',
      async (page) => {
        const url = await session({ ...fixed })
        await advance('15m')
        await page.goto(url)
      }
    ],
    [
      'authorisation',
      async (page) => {
        const url = await session({
          country: 'SEN',
          amountDetails: { amount: '500', currency: 'XOF' },
          phoneNumber: '221773456789'
        })
        await ask('POST', json(url), { provider: 'WAVE_SEN' })
        await advance('1s')
        const { deposit } = await ask('GET', json(url))
        await page.goto(deposit.authorizationUrl)
      }
    ],
    [
      'checkout',
      async (page) => {
        const url = await checkout()
        await ask('POST', `${json(url)}/attempts`, { phoneNumber: declined })
        await advance('1m')
        await page.goto(url)
      }
    ],
    [
      'checkout-hanging',
      async (page) => {
        const url = await checkout({ expiresAfter: 3 })
        await ask('POST', `${json(url)}/attempts`, { phoneNumber: '260763456129' })
        await advance('4m')
        await page.goto(url)
      }
    ],
    [
      'checkout-narrow',
      async (page) => {
        await page.goto(await checkout({ defaultLanguage: 'fr' }))
      },
      { width: 360, colorScheme: 'dark' }
    ]
  ]

for (const [name, shot, { colorScheme = 'light', width = size.width } = {}] of shots) {
  const context = await browser.newContext({
    viewport: { ...size, width },
    colorScheme,
    reducedMotion: 'reduce'
  })
  const page = await context.newPage()
  await shot(page)
  await page.screenshot({
    path: join(folder, `${name}.png`),
    fullPage: true,
    animations: 'disabled'
  })
  await context.close()
}
await browser.close()
await mock.close()
