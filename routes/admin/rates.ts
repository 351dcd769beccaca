import { RatesAnswer } from '../../src/admin-api/rates.ts'
import type { RateSample } from '../../src/monitoring/rates.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Call about the rates of this server. */
export function ratesRoute (app: TypedApp, { rates }: AdminParts): void {
  app.get(
    '/rates',
    {
      config: adminCall(
        'getRates',
        'Show requests, accepted payments and callback attempts per second',
        'Of all accounts, with any token. The first call begins to measure; a minute ' +
          'without a call ends it.'
      ),
      schema: { response: { 200: RatesAnswer } }
    },
    async () => ({ samples: rates.read().map(showSample) })
  )
}

function showSample ({ at, durationMs, requests, payments, callbacks }: RateSample) {
  const perSecond = (count: number): number => Math.round((count * 10_000) / durationMs) / 10
  return {
    at: new Date(at).toISOString(),
    requests: perSecond(requests),
    payments: perSecond(payments),
    callbacks: perSecond(callbacks)
  }
}
