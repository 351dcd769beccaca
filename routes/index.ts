import type { FastifyInstance } from 'fastify'
import type { Checkouts } from '../src/checkouts.ts'
import type { Finances } from '../src/finances.ts'
import type { PaymentPage } from '../src/payment-page.ts'
import type { Payments } from '../src/payments.ts'
import type { Wire } from '../src/wire/wire.ts'
import './context.ts'
import { expireRoute } from './expiry.ts'
import { financeRoutes } from './finances.ts'
import { guard, type GenerationParts } from './generation.ts'
import { healthRoutes } from './health.ts'
import { paymentRoutes } from './payments.ts'
import { sessionRoute } from './session.ts'
import { toolkitRoutes, type ToolkitParts } from './toolkit.ts'

export interface ApiParts extends Omit<GenerationParts, 'wire'> {
  wires: readonly Wire[]
  payments: Payments
  toolkit: ToolkitParts
  finances: Finances
  checkouts: Checkouts
  pages: PaymentPage
  version: string
}

/** The API itself, in every generation. Everything else is in the annex. */
export function apiRoutes (http: FastifyInstance, { wires, version, payments, toolkit, finances, checkouts, pages, ...parts }: ApiParts): void {
  healthRoutes(http, version, parts.machine)
  for (const wire of wires) {
    http.register(async (app) => {
      guard(app, { wire, ...parts })
      paymentRoutes(app, wire, payments, parts.ids)
      toolkitRoutes(app, wire, toolkit)
      financeRoutes(app, wire, finances)
      expireRoute(app, wire, checkouts, parts.ids)
      sessionRoute(app, wire, pages, parts.ids)
    }, { prefix: wire.prefix })
  }
}
