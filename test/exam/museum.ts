import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { catalogue } from '../../src/exam/catalogue.ts'
import type { Check } from '../../src/exam/check.ts'
import type { ExamConfig } from '../../src/exam/config.ts'
import { examine } from '../../src/exam/exam.ts'
import { freePort } from '../support/ports.ts'
import type { Report } from '../../src/reports/exam/report.ts'
import { createMomock } from '../../src/index.ts'
import type Merchant from './merchants/good.ts'

/** The museum of bad merchants, and how one of them is examined. */

const folder = new URL('merchants/', import.meta.url)

/** Names of the merchants that are written for Node. */
export const names = readdirSync(fileURLToPath(folder))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3))

export async function load (name: string): Promise<typeof Merchant> {
  return (await import(new URL(`${name}.ts`, folder).href)).default
}

/** Times that are short enough for a test: the good merchant answers within milliseconds. */
const limits = { slowMs: 400, callbackTimeoutMs: 4000, pollMs: 300 }

/** Configuration of an exam of a merchant at a URL. */
export function configOf (url: string): ExamConfig {
  const body = {
    amount: '{{amount}}',
    currency: '{{currency}}',
    phoneNumber: '{{phoneNumber}}',
    provider: '{{provider}}'
  }
  const reference = '$.orderId'
  const post = (path: string) => ({ http: { method: 'POST', url: url + path } })
  return {
    callback: `${url}/callbacks`,
    drive: {
      deposit: { http: { url: `${url}/pay`, body }, reference },
      payout: { http: { url: `${url}/payouts`, body }, reference },
      checkout: { http: { url: `${url}/checkouts`, body }, reference },
      refund: { ...post('/orders/{{reference}}/refund'), reference },
      retry: { ...post('/orders/{{reference}}/retry'), reference }
    },
    observe: {
      http: { url: `${url}/orders/{{reference}}` },
      paid: '$.paid',
      amount: '$.amount',
      effects: '$.effects',
      failed: '$.failed',
      refund: { paid: '$.refunded', effects: '$.refunds' }
    },
    settle: '100ms',
    patience: '5s',
    burst: 40,
    hooks: { before: post('/reset'), break: post('/break'), mend: post('/mend') }
  }
}

/** Examines a merchant of the museum. */
export async function examineMerchant (
  name: string,
  checks: readonly Check[] = catalogue
): Promise<Report> {
  const port = await freePort()
  const Bad = await load(name)
  const merchant = new Bad({ baseUrl: `http://127.0.0.1:${port}`, token: 'exam-token' })
  const config = { ...configOf(await merchant.open()), mock: { port } }
  try {
    return (await examine({ config, createMock: createMomock, checks, limits })).report
  } finally {
    await merchant.close()
  }
}
