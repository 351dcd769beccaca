import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { createApp } from '../../src/app.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { completeConfig } from '../../src/config/load-config.ts'

/**
 * Many payments that are all pending, due at random times: how much memory they take, and how fast
 * they are moved when their time comes.
 */

const count = Number(process.argv[2] ?? 1_000_000)
/** Span of the due times on the account's clock, and the real time in which it passes. */
const spreadMs = 3_600_000
const passesInMs = 5_000
const batch = 500

const folder = mkdtempSync(join(tmpdir(), 'momock-scale-'))
const app = await createApp(
  completeConfig({ db: join(folder, 'ledger.db'), clock: 'frozen', logLevel: 'warn' }),
  systemClock,
  pino({ level: 'warn' })
)
await app.start()

const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }
const admin = async (method: 'GET' | 'PUT', url: string, payload?: object): Promise<any> =>
  (
    await app.http.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
  ).json()
const deposit = (): Promise<unknown> =>
  app.http.inject({
    method: 'POST',
    url: '/v2/deposits',
    headers,
    payload: JSON.stringify({
      depositId: randomUUID(),
      amount: '15',
      currency: 'ZMW',
      payer: {
        type: 'MMO',
        accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
      }
    })
  })

const start = Date.parse('2026-01-01T00:00:00Z')
const said = (rows: number, ms: number): string =>
  `${rows.toLocaleString('en')} in ${(ms / 1000).toFixed(1)} s, ` +
  `${Math.round((rows / ms) * 1000).toLocaleString('en')} per second, ` +
  `${Math.round(process.memoryUsage.rss() / 2 ** 20)} MiB`

let begun = performance.now()
for (let made = 0; made < count; made += batch) {
  // A frozen clock can be set anywhere: the payments made there fall due half a second later.
  await admin('PUT', '/__admin/clock', {
    mode: 'frozen',
    now: new Date(start + Math.floor(Math.random() * spreadMs)).toISOString()
  })
  await Promise.all(Array.from({ length: Math.min(batch, count - made) }, deposit))
}
console.log(`initiated  ${said(count, performance.now() - begun)}`)

const balance = async (): Promise<number> =>
  Number((await admin('GET', '/v2/wallet-balances?country=ZMB')).balances[0].balance)
const empty = 1_000_000
begun = performance.now()
await admin('PUT', '/__admin/clock', {
  mode: 'running',
  now: new Date(start).toISOString(),
  speed: spreadMs / passesInMs
})
while ((await balance()) < empty + 15 * count) await sleep(100)
console.log(`moved      ${said(count, performance.now() - begun)}`)
await app.close()
rmSync(folder, { recursive: true })
