import type { FastifyInstance } from 'fastify'
import type { Machine } from '../src/clock.ts'
import type { Payments } from '../src/payments.ts'
import type { Wire } from '../src/wire/wire.ts'
import { referenceRoutes, type ReferenceParts } from './admin/reference.ts'
import './context.ts'
import { guard, missing, type GenerationParts } from './generation.ts'
import { healthRoutes } from './health.ts'
import { paymentRoutes } from './payments.ts'

export interface RouteParts extends Omit<GenerationParts, 'wire'>, ReferenceParts {
  wires: readonly Wire[]
  payments: Payments
  machine: Machine
  version: string
}

/** Every route there is: once for the server, and once more for the document that describes it. */
export function registerRoutes (http: FastifyInstance, { wires, payments, machine, version, ...parts }: RouteParts): void {
  healthRoutes(http, version, machine)
  referenceRoutes(http, parts)
  for (const wire of wires) {
    const generation = { wire, ...parts }
    // The earlier generation has no prefix: whatever nobody else answers is a mistake in its words.
    if (wire.prefix === '') missing(http, generation)
    http.register(async (app) => {
      guard(app, generation)
      if (wire.prefix !== '') missing(app, generation)
      paymentRoutes(app, wire, payments, parts.ids)
    }, { prefix: wire.prefix })
  }
}
