import type { Static, TSchema } from '@sinclair/typebox'
import type { NearestRequest } from '../../src/admin-api/requests.ts'
import type { Account } from '../../src/domain/account.ts'
import { listOfferings } from '../../src/domain/account-offering.ts'
import { readPath } from '../../src/lib/field-path.ts'
import { readExchange } from '../../src/monitoring/journal-reading.ts'
import type { CalledOperation, JournalExchange } from '../../src/monitoring/request-journal.ts'
import { sampleOf } from '../../src/openapi/sample.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { operationName } from '../http/context.ts'
import type { RegisteredRoute } from '../http/route-index.ts'
import { correctBody } from './corrected-body.ts'
import type { AdminParts } from './parts.ts'
import { correctTerms } from './corrected-terms.ts'

const identifier = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

type Nearest = Static<typeof NearestRequest>

/**
 * Finds the valid request that is nearest to a refused one: the nearest operation, and a body that
 * its schema, the provider and the account accept.
 */
export function findNearestRequest (
  exchange: JournalExchange,
  account: Account,
  { routeIndex, wires, catalogue }: AdminParts
): Nearest | undefined {
  const sent = readExchange(exchange)
  const wireOf = ({ url }: RegisteredRoute): Wire | undefined =>
    wires.find(({ prefix }) => prefix !== '' && url.startsWith(`${prefix}/`)) ??
    wires.find(({ prefix }) => prefix === '')
  const { called } = exchange
  const route =
    called === undefined
      ? routeIndex.findNearest(sent.method, sent.path, isOperation)
      : routeIndex.routes.find(
        (one) => wireOf(one)?.version === called.version && isNamed(one, called)
      )
  if (route === undefined) return undefined
  const wire = wireOf(route)
  const path = fillPath(route.url, sent.path)
  const changes = [
    ...(route.method === sent.method ? [] : [`${route.method} in place of ${sent.method}`]),
    ...(path === sent.path ? [] : [`${path} in place of ${sent.path}`]),
    ...(exchange.status === 401 ? ['the token of this account'] : [])
  ]
  const schema = bodySchema(route)
  const nearest = { method: route.method, path, changes }
  if (schema === undefined) return changes.length === 0 ? undefined : nearest
  const corrected = correctBody(schema, sent.body)
  if (corrected === undefined) return undefined
  const { kind } = route.config ?? {}
  if (
    wire !== undefined &&
    kind !== undefined &&
    readPath(corrected.body, 'amount') !== undefined
  ) {
    const offerings = listOfferings(account, catalogue, { operationType: kind.operation })
    corrected.changes.push(...correctTerms(corrected.body, wire.walletPaths(kind), kind, offerings))
  }
  changes.push(...corrected.changes)
  return changes.length === 0 ? undefined : { ...nearest, body: corrected.body }
}

/** Tells whether a route is an operation of the API that a merchant calls with a token. */
function isOperation ({ config }: RegisteredRoute): boolean {
  return config?.permission !== undefined
}

/** Tells whether a route has the name of an operation. */
function isNamed ({ config }: RegisteredRoute, called: CalledOperation): boolean {
  const { version, operation } = called
  const documentation = config?.documentation
  return typeof documentation === 'object' && operationName(version, documentation.id) === operation
}

function bodySchema ({ config, schema }: RegisteredRoute): TSchema | undefined {
  const documentation = config?.documentation
  const documented = typeof documentation === 'object' ? documentation.body : undefined
  return (documented ?? schema?.body) as TSchema | undefined
}

/** Fills the parameters of a route with the parts of the path that was sent. */
function fillPath (url: string, path: string): string {
  const given = path.split('/').filter((part) => identifier.test(part))
  const example = String(sampleOf({ type: 'string', format: 'uuid' }, path))
  return url.replace(/:\w+/g, () => given.shift() ?? example)
}
