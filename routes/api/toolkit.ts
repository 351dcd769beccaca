import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { OfferingFilter } from '../../src/domain/account-offering.ts'
import { listOfferings } from '../../src/domain/account-offering.ts'
import { predict } from '../../src/domain/provider-prediction.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import type { Keys } from '../../src/security/keys.ts'
import type { Pictures } from '../../src/wire/toolkit.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { replyOk } from '../http/reply.ts'
import type { RouteConfig } from '../http/context.ts'

export interface ToolkitParts {
  catalogue: Catalogue
  keys: Keys
  pictures: Pictures
}

/**
 * What a generation says about itself: what is enabled, what works, whose a number is, and with
 * which keys it signs.
 */
export function toolkitRoutes (
  app: FastifyInstance,
  { toolkit }: Wire,
  { catalogue, keys, pictures }: ToolkitParts
): void {
  const { activeConfiguration, availability, prediction, publicKeys } = toolkit

  app.get(
    activeConfiguration.path,
    {
      config: reading(
        'getActiveConfiguration',
        'What is configured for the account: countries, providers, limits',
        activeConfiguration.open
      ),
      schema: {
        querystring: activeConfiguration.query,
        response: { 200: activeConfiguration.answer }
      }
    },
    async (request) => {
      const { account } = request.caller
      return replyOk(
        activeConfiguration.write(
          account,
          listOfferings(account, catalogue, activeConfiguration.filter(query(request))),
          pictures
        )
      )
    }
  )

  app.get(
    availability.path,
    {
      config: reading('getAvailability', 'Which providers work at the moment', availability.open),
      schema: { querystring: availability.query, response: { 200: availability.answer } }
    },
    async (request) =>
      replyOk(
        availability.write(
          listOfferings(request.caller.account, catalogue, availability.filter(query(request)))
        )
      )
  )

  app.post(
    prediction.path,
    {
      config: reading(
        'predictProvider',
        'Which provider a phone number belongs to',
        prediction.open
      ),
      schema: { body: prediction.request, response: { 200: prediction.answer } }
    },
    async (request) => {
      const { field } = prediction
      const predicted = predict((request.body as Record<string, string>)[field], catalogue, field)
      if (isRefusal(predicted)) throw new Refused(predicted.code, predicted.message)
      return replyOk(prediction.write(predicted))
    }
  )

  app.get(
    publicKeys.path,
    {
      config: reading('listPublicKeys', 'The public keys that verify callbacks', publicKeys.open),
      schema: { response: { 200: publicKeys.answer } }
    },
    async () => replyOk(keys.published)
  )
}

/** Whoever may read may ask; some questions anybody may ask. */
function reading (id: string, summary: string, open = false): RouteConfig {
  return {
    documentation: { id, summary, tag: 'toolkit' },
    operation: 'toolkit',
    ...(open ? { isOpen: open } : { permission: 'read' })
  }
}

function query ({ query }: FastifyRequest): OfferingFilter {
  return query as OfferingFilter
}
