import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import { nearest } from '../../src/check.ts'
import type { Accounts } from '../../src/accounts.ts'
import type { Machine } from '../../src/clock.ts'
import { timeOn } from '../../src/clock.ts'
import type { Availability } from '../../src/domain/account.ts'
import { availabilities, availability } from '../../src/domain/account.ts'
import type { Catalogue } from '../../src/domain/catalog.ts'
import type { Operation } from '../../src/domain/kinds.ts'
import { operations } from '../../src/domain/kinds.ts'
import type { Mover } from '../../simulator/mover.ts'
import { AdminError } from './guard.ts'

const State = Type.Union(availabilities.map((state) => Type.Literal(state)), { description: `one of ${availabilities.join(', ')}` })
const Outage = Type.Object(Object.fromEntries(operations.map((operation) => [operation, Type.Optional(State)])), { additionalProperties: false, minProperties: 1, description: `{ ${operations.join(', ')} }, each ${availabilities.join(', ')}` })

/** Outages, told one coherent way: what is set here is what the configuration says, what initiations meet, and what queues wait for. */
export function providerRoutes (app: FastifyInstance, accounts: Accounts, catalogue: Catalogue, mover: Mover, machine: Machine): void {
  app.put('/providers/:provider', { schema: { body: Outage } }, async (request) => {
    const { provider } = request.params as { provider: string }
    if (!catalogue.providers.has(provider)) {
      const near = nearest(provider, [...catalogue.providers.keys()])
      throw new AdminError('NOT_FOUND', `there is no provider '${provider.slice(0, 64)}'`, near === undefined ? undefined : `did you mean ${near}?`)
    }
    const { account } = request
    const states = { ...account.outages.get(provider), ...request.body as Partial<Record<Operation, Availability>> }
    account.outages.set(provider, states)
    await accounts.save(account)
    const now = timeOn(account.clock, machine.now())
    let released = 0
    for (const operation of operations) {
      if (availability(account, provider, operation) !== 'DELAYED') released += await mover.release(account.id, provider, operation, now)
    }
    return { provider, operationTypes: Object.fromEntries(operations.map((operation) => [operation, availability(account, provider, operation)])), released }
  })

  app.get('/providers', async ({ account }) => ({
    providers: [...account.outages].map(([provider, operationTypes]) => ({ provider, operationTypes }))
  }))
}
