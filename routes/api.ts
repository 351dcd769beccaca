import type { FastifyInstance } from 'fastify'
import type { Checkouts } from '../src/services/checkouts.ts'
import type { Finances } from '../src/services/finances.ts'
import type { PaymentPage } from '../src/services/payment-page.ts'
import type { Payments } from '../src/services/payments.ts'
import type { Wire } from '../src/wire/wire.ts'
import './http/context.ts'
import { expireRoute } from './api/expiry.ts'
import { financeRoutes } from './api/finances.ts'
import { guardApi, type ApiGuardParts } from './api/guard.ts'
import { healthRoutes } from './api/health.ts'
import { paymentRoutes } from './api/payments.ts'
import { sessionRoute } from './api/payment-page.ts'
import { toolkitRoutes, type ToolkitParts } from './api/toolkit.ts'

export interface ApiParts extends Omit<ApiGuardParts, 'wire'> {
  wires: readonly Wire[]
  payments: Payments
  toolkit: ToolkitParts
  finances: Finances
  checkouts: Checkouts
  pages: PaymentPage
  version: string
}

/** The API itself, in every generation. Everything else is in the annex. */
export function apiRoutes (
  http: FastifyInstance,
  { wires, version, payments, toolkit, finances, checkouts, pages, ...parts }: ApiParts
): void {
  healthRoutes(http, version, parts.systemClock)
  for (const wire of wires) {
    http.register(
      async (app) => {
        guardApi(app, { wire, ...parts })
        paymentRoutes(app, wire, payments, parts.ids)
        toolkitRoutes(app, wire, toolkit)
        financeRoutes(app, wire, finances)
        expireRoute(app, wire, checkouts, parts.ids)
        sessionRoute(app, wire, pages, parts.ids)
      },
      { prefix: wire.prefix }
    )
  }
}
