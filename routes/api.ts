import type { FastifyInstance } from 'fastify'
import type { Checkouts } from '../src/services/checkouts.ts'
import type { Finances } from '../src/services/finances.ts'
import type { PaymentPage } from '../src/services/payment-page.ts'
import type { Payments } from '../src/services/payments.ts'
import type { StatusChecks } from '../src/services/status-checks.ts'
import type { Wire } from '../src/wire/wire.ts'
import { expireRoute } from './api/expiry.ts'
import { financeRoutes } from './api/finances.ts'
import { handleApiErrors } from './api/guard.ts'
import { healthRoutes, type HealthParts } from './api/health.ts'
import { paymentRoutes } from './api/payments.ts'
import { sessionRoute } from './api/payment-page.ts'
import { toolkitRoutes, type ToolkitParts } from './api/toolkit.ts'
import { decorateRequests, type ApiGuardParts } from './http/api-route.ts'
import { named } from './http/server.ts'

/** Services that the API calls. */
export interface ApiServices {
  payments: Payments
  toolkit: ToolkitParts
  finances: Finances
  checkouts: Checkouts
  pages: PaymentPage
  statusChecks: StatusChecks
}

/** Adds the health checks and all versions of the API. */
export function apiRoutes (
  http: FastifyInstance,
  wires: readonly Wire[],
  health: HealthParts,
  services: ApiServices,
  parts: ApiGuardParts
): void {
  decorateRequests(http)
  healthRoutes(http, health, parts.systemClock)
  for (const wire of wires) {
    http.register(
      named(wire.version, async (app: FastifyInstance) => {
        const api = { app, wire, wires, ...parts }
        handleApiErrors(api)
        paymentRoutes(api, services)
        toolkitRoutes(api, services.toolkit)
        financeRoutes(api, services.finances)
        expireRoute(api, services.checkouts)
        sessionRoute(api, services.pages)
      }),
      { prefix: wire.prefix }
    )
  }
}
