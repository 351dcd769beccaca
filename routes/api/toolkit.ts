import type { Catalogue } from '../../src/domain/catalogue.ts'
import { listOfferings } from '../../src/domain/account-offering.ts'
import { predict } from '../../src/domain/provider-prediction.ts'
import { Refused } from '../../src/domain/refusal.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import type { Keys } from '../../src/security/keys.ts'
import type { Pictures } from '../../src/wire/toolkit.ts'
import { apiRoute, type ApiRouteConfig, type ApiScope } from '../http/api-route.ts'
import { replyOk } from '../http/reply.ts'

export interface ToolkitParts {
  catalogue: Catalogue
  keys: Keys
  pictures: Pictures
}

/** Adds the routes of the toolkit: configuration, availability, prediction and public keys. */
export function toolkitRoutes (api: ApiScope, parts: ToolkitParts): void {
  const { catalogue, keys, pictures } = parts
  const { activeConfiguration, availability, prediction, publicKeys } = api.wire.toolkit

  apiRoute(api, {
    method: 'GET',
    url: activeConfiguration.path,
    config: readConfig(
      'getActiveConfiguration',
      'What is configured for the account: countries, providers, limits',
      activeConfiguration.open
    ),
    schema: {
      querystring: activeConfiguration.query,
      response: { 200: activeConfiguration.answer }
    },
    handler: async ({ caller: { account }, query }) => {
      const offerings = listOfferings(account, catalogue, activeConfiguration.filter(query))
      return replyOk(activeConfiguration.write(account, offerings, pictures))
    }
  })

  apiRoute(api, {
    method: 'GET',
    url: availability.path,
    config: readConfig('getAvailability', 'Which providers work at the moment', availability.open),
    schema: { querystring: availability.query, response: { 200: availability.answer } },
    handler: async ({ caller: { account }, query }) =>
      replyOk(availability.write(listOfferings(account, catalogue, availability.filter(query))))
  })

  apiRoute(api, {
    method: 'POST',
    url: prediction.path,
    config: readConfig(
      'predictProvider',
      'Which provider a phone number belongs to',
      prediction.open
    ),
    schema: { body: prediction.request, response: { 200: prediction.answer } },
    handler: async ({ body }) => {
      const { field } = prediction
      const predicted = predict(body[field], catalogue, field)
      if (isRefusal(predicted)) throw new Refused(predicted.code, predicted.message)
      return replyOk(prediction.write(predicted))
    }
  })

  apiRoute(api, {
    method: 'GET',
    url: publicKeys.path,
    config: readConfig('listPublicKeys', 'The public keys that verify callbacks', publicKeys.open),
    schema: { response: { 200: publicKeys.answer } },
    handler: async () => replyOk(keys.published)
  })
}

/** Configuration of a route that reads: for tokens that may read, or for everybody. */
function readConfig (id: string, summary: string, isOpen = false): ApiRouteConfig {
  return {
    documentation: { id, summary, tag: 'toolkit' },
    operation: 'toolkit',
    ...(isOpen ? { isOpen } : { permission: 'read' })
  }
}
