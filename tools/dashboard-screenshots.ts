import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMomock } from '../src/index.ts'
import { requests } from '../test/support/examples.ts'
import { call, launch } from '../test/support/browser.ts'

/**
 * Takes the pictures of the dashboard: `npm run screenshots`. With a folder as argument it takes
 * each page at three widths, light and dark, for a review. The clock stands still.
 */

const reviewFolder = process.argv[2]
const folder = reviewFolder ?? fileURLToPath(new URL('../docs/pictures', import.meta.url))
const failing = ['260763456039', '260763456049', '260763456069']

/** Identifier of the nth payment: always the same, and unlike its neighbours. */
function idOf (n: number): string {
  const hex = createHash('sha256').update(`payment ${n}`).digest('hex')
  const [first, second, third, fourth] = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(13, 16),
    hex.slice(17, 20)
  ]
  return [first, second, `4${third}`, `8${fourth}`, hex.slice(20, 32)].join('-')
}

/** Pages with their pictures; those with a name are in the documents. */
const pages: Array<{
  path: string
  picture?: string
  width?: number
  dark?: boolean
  open?: string
}> = [
  { path: '/payments', picture: 'dashboard' },
  { path: '/payments', picture: 'dashboard-dark', dark: true },
  { path: '/payments', picture: 'dashboard-narrow', width: 390 },
  { path: `/payments/deposit/${idOf(3)}`, picture: 'dashboard-payment' },
  { path: '/callbacks', picture: 'dashboard-callbacks', open: '[id^=callback-]' },
  { path: '/requests', picture: 'dashboard-requests', open: '[id^=request-]' },
  { path: `/try?sent=deposit/${idOf(1)}`, picture: 'dashboard-try' },
  { path: '/scenarios', picture: 'dashboard-scenarios', dark: true },
  {
    path: '/providers',
    picture: 'dashboard-providers',
    width: 1024,
    open: '#provider-MTN_MOMO_ZMB'
  },
  { path: '/faults' },
  { path: '/wallets' },
  { path: '/test-numbers', picture: 'dashboard-test-numbers', width: 1024 },
  { path: '/coverage' },
  { path: '/invariants' },
  { path: '/load', picture: 'dashboard-load' },
  { path: '/sinks/shop' },
  { path: '/snapshots' }
]

mkdirSync(folder, { recursive: true })
const mock = await createMomock({
  clock: 'frozen',
  accounts: [{ name: 'default', companyName: 'Corner Shop', providers: ['ZMB', 'KEN', 'RWA'] }]
})
const browser = await launch()

let made = 0
const newId = (): string => idOf(++made)
const ask = (method: string, path: string, body?: object): Promise<any> =>
  call(mock.url, method, path, body)
const advance = (by: string): Promise<unknown> => ask('POST', '/__admin/clock/advance', { by })

/** Traffic of a small shop: most payments complete, some fail, a callback is refused at first. */
async function makeTraffic (): Promise<void> {
  await ask('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-03-02T09:30:00Z' })
  const sink = `${mock.url}/__admin/sink/shop`
  await ask('PATCH', '/__admin/account', {
    callbacks: { deposits: sink, payouts: sink, refunds: 'http://127.0.0.1:9/callbacks' }
  })
  await ask('PUT', '/__admin/sink/shop', [500, 200])
  for (let n = 0; n < 12; n++) {
    const details = { phoneNumber: failing[n - 2] ?? '260763456789', provider: 'MTN_MOMO_ZMB' }
    const terms = { amount: String(15 + 7 * n), clientReferenceId: `INV-${n + 1}` }
    const isPayout = n % 4 === 3
    const wallet = { type: 'MMO', accountDetails: details }
    await (isPayout
      ? ask('POST', '/v2/payouts', {
        ...requests.v2.payout!(),
        ...terms,
        payoutId: newId(),
        recipient: wallet
      })
      : ask('POST', '/v2/deposits', {
        ...requests.v2.deposit!(),
        ...terms,
        depositId: newId(),
        payer: wallet
      }))
    await advance('37s')
  }
  await ask('POST', '/v2/refunds', {
    refundId: newId(),
    depositId: idOf(1)
  })
  await advance('1m')
  await ask('POST', '/v2/deposits', { ...requests.v2.deposit!(), depositId: newId() })
  await ask('POST', '/v2/deposit', { ...requests.v2.deposit!(), depositId: newId() })
  await ask('POST', '/v2/deposits', {
    ...requests.v2.deposit!(),
    depositId: newId(),
    currency: 'KES'
  })
  await ask('PUT', '/__admin/providers/AIRTEL_OAPI_ZMB', { DEPOSIT: 'CLOSED', for: '10m' })
}

/** Load for the plot: some seconds of requests, less than the server can do. */
async function makeLoad (): Promise<void> {
  await ask('PUT', '/__admin/clock', { mode: 'running' })
  for (let n = 0; n < 100; n++) {
    if (n % 5 === 0) await ask('GET', '/__admin/rates')
    const size = 8 + Math.round(6 * Math.sin(n / 9))
    await Promise.all(
      Array.from({ length: size }, (_, n) =>
        n % 3 === 0
          ? ask('POST', '/v2/deposits', requests.v2.deposit!())
          : ask('GET', `/v2/deposits/${idOf(1)}`)
      )
    )
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

async function takePicture (
  name: string,
  { path, open }: (typeof pages)[number],
  width: number,
  isDark: boolean
): Promise<void> {
  const page = await browser.newPage({
    viewport: { width, height: width < 500 ? 844 : 900 },
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce'
  })
  await page.goto(`${mock.url}/__admin/ui${path}`)
  if (open !== undefined) await page.locator(`${open} summary`).first().click()
  const isWhole = reviewFolder !== undefined
  await page.screenshot({
    path: join(folder, `${name}.png`),
    fullPage: isWhole,
    animations: 'disabled'
  })
  await page.close()
}

await makeTraffic()
for (const page of pages) {
  if (page.path === '/load') await makeLoad()
  const { picture, path, width = 1440, dark = false } = page
  if (reviewFolder === undefined) {
    if (picture !== undefined) await takePicture(picture, page, width, dark)
    continue
  }
  const name = path.split('?')[0].replaceAll('/', '_')
  for (const size of [1440, 1024, 390]) {
    for (const isDark of [false, true]) {
      await takePicture(`${name}-${size}${isDark ? '-dark' : ''}`, page, size, isDark)
    }
  }
}
await browser.close()
await mock.close()
