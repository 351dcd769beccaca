import type { Static, TSchema } from '@sinclair/typebox'
import { ExampleQuery, ExampleRequest, TestNumberList } from '../../src/admin-api/examples.ts'
import type { Account } from '../../src/domain/account.ts'
import { listOfferings } from '../../src/domain/account-offering.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { kinds, type Kind } from '../../src/domain/kinds.ts'
import { predict } from '../../src/domain/provider-prediction.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { readPath, writePath } from '../../src/lib/field-path.ts'
import type { Wire } from '../../src/wire/wire.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { correctTerms } from './corrected-terms.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'

export interface ExampleParts {
  catalogue: Catalogue
  wires: readonly Wire[]
}

type Query = Static<typeof ExampleQuery>

const numberedOperations = ['DEPOSIT', 'PAYOUT'] as const

/** Calls that list the test numbers and make example requests. */
export function exampleRoutes (app: TypedApp, parts: ExampleParts): void {
  app.get(
    '/test-numbers',
    {
      config: adminCall('listTestNumbers', 'List the phone numbers that decide a payment'),
      schema: { response: { 200: TestNumberList } }
    },
    async ({ account }) => ({ testNumbers: listTestNumbers(account, parts.catalogue) })
  )

  app.get(
    '/examples',
    {
      config: adminCall(
        'createExample',
        'Make an example of a request that is accepted',
        'Nothing is sent. Values that do not fit together are replaced by the nearest that do.'
      ),
      schema: { querystring: ExampleQuery, response: { 200: ExampleRequest } }
    },
    async ({ account, query }) => await createExample(account, query, parts)
  )
}

function listTestNumbers (
  account: Account,
  catalogue: Catalogue
): Static<typeof TestNumberList>['testNumbers'] {
  return listOfferings(account, catalogue).flatMap(({ country, providers }) =>
    providers.flatMap(({ provider: { code, testNumbers } }) =>
      numberedOperations.flatMap((operation) =>
        Object.entries(testNumbers[operation] ?? {}).map(([phoneNumber, outcome]) => ({
          phoneNumber,
          country,
          provider: code,
          operation,
          outcome
        }))
      )
    )
  )
}

async function createExample (
  account: Account,
  query: Query,
  { catalogue, wires }: ExampleParts
): Promise<Static<typeof ExampleRequest>> {
  const { sampleOf } = await import('../../src/openapi/sample.ts')
  const kind = kinds[query.kind ?? 'deposit']
  const wire = findWire(wires, kind, query)
  const schema = wire.codecs[kind.name]?.request as TSchema
  const body = sampleOf(schema, `${wire.generation} ${kind.name}`) as Record<string, unknown>
  writeTerms(body, query, kind, wire, catalogue)
  const offerings = listOfferings(account, catalogue, { operationType: kind.operation })
  if (readPath(body, wire.walletPaths(kind).provider) !== undefined) {
    correctTerms(body, wire.walletPaths(kind), kind, offerings)
  }
  const path = `${wire.prefix}/${kind.path}`
  return { kind: kind.name, generation: wire.generation, method: 'POST', path, body }
}

function findWire (wires: readonly Wire[], kind: Kind, { generation = 'v2' }: Query): Wire {
  const wire = wires.find((one) => one.generation === generation && kind.name in one.codecs)
  if (wire !== undefined) return wire
  throw new AdminError(
    'BAD_REQUEST',
    `${generation} has no ${kind.name}`,
    `use generation=${kind.versions.join(' or ')}`
  )
}

/** Writes the wanted terms into a body that has such fields. */
function writeTerms (
  body: Record<string, unknown>,
  { phoneNumber, provider, amount, currency, depositId }: Query,
  kind: Kind,
  wire: Wire,
  catalogue: Catalogue
): void {
  const paths = wire.walletPaths(kind)
  const predicted =
    phoneNumber === undefined ? undefined : predict(phoneNumber, catalogue, 'phoneNumber')
  const owner =
    provider ??
    (predicted === undefined || isRefusal(predicted) ? undefined : predicted.provider.code)
  const terms: Array<[path: string, value: string | undefined]> = [
    [paths.phoneNumber, phoneNumber],
    [paths.provider, owner],
    ['amount', amount],
    ['currency', currency],
    ['depositId', kind === kinds.refund ? depositId : undefined]
  ]
  for (const [path, value] of terms) {
    if (value !== undefined && readPath(body, path) !== undefined) writePath(body, path, value)
  }
}
