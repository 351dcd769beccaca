import { randomUUID } from 'node:crypto'
import { readVersion } from '../../src/domain/api-version.ts'
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
import { correctTerms, findTestNumber, fitAmount } from './corrected-terms.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

type Query = Static<typeof ExampleQuery>

const numberedOperations = ['DEPOSIT', 'PAYOUT'] as const

/** Calls that list the test numbers and make example requests. */
export function exampleRoutes (app: TypedApp, parts: AdminParts): void {
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
        'Nothing is sent. Each example has new identifiers. Values that do not fit together are ' +
          'replaced by the nearest that do.'
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

/** Creates an example of a request that is accepted. */
export async function createExample (
  account: Account,
  query: Query,
  { catalogue, wires }: AdminParts
): Promise<Static<typeof ExampleRequest>> {
  const { sampleOf } = await import('../../src/openapi/sample.ts')
  const kind = kinds[query.kind ?? 'deposit']
  const wire = findWire(wires, kind, query)
  const schema = wire.codecs[kind.name]?.request as TSchema
  const sample = sampleOf(schema, `${wire.version} ${kind.name}`) as Record<string, unknown>
  const body: Record<string, unknown> = { ...sample, [kind.idField]: randomUUID() }
  // The provider of a refund is that of its deposit, and may take no decimals.
  if (kind === kinds.refund && typeof body.amount === 'string') {
    body.amount = body.amount.replace(/[.]0+$/, '')
  }
  writeTerms(body, query, kind, wire, catalogue)
  const offerings = listOfferings(account, catalogue, { operationType: kind.operation })
  if (readPath(body, wire.walletPaths(kind).provider) !== undefined) {
    correctTerms(body, wire.walletPaths(kind), kind, offerings)
  }
  Object.assign(body, authorisationOf(body, kind, wire, catalogue))
  if (kind === kinds.checkout) writeCheckoutTerms(body, query, catalogue)
  if (kind === kinds.splitPayment) writeSplits(body, wire, account, catalogue)
  const path = `${wire.prefix}/${kind.path}`
  const { version } = wire
  return { kind: kind.name, version, method: 'POST', path, body }
}

/** Fields with which the provider of a payer authorises a deposit. */
function authorisationOf (
  body: object,
  { operation }: Kind,
  wire: Wire,
  catalogue: Catalogue
): object {
  if (operation !== 'DEPOSIT') return {}
  const code = readPath(body, wire.walletPaths(kinds.deposit).provider)
  const authType = catalogue.providers.get(String(code))?.authType
  return {
    ...(authType === 'PREAUTH' && { preAuthorisationCode: '367025' }),
    ...(authType === 'REDIRECT_AUTH' &&
      wire.can.redirect && {
      successfulUrl: 'https://shop.example/paid',
      failedUrl: 'https://shop.example/failed'
    })
  }
}

/** Fixes country and amount of a checkout, if its provider is asked for. */
function writeCheckoutTerms (
  body: Record<string, unknown>,
  query: Query,
  { providers }: Catalogue
): void {
  const provider = providers.get(query.provider ?? '')
  if (provider === undefined) return
  const { country, currencies } = provider
  const [usual] = Object.keys(currencies)
  const currency = query.currency ?? usual
  const limits = currencies[currency]?.operationTypes.DEPOSIT
  const amount = query.amount ?? (limits === undefined ? '15' : fitAmount('15', limits))
  Object.assign(body, { countries: [country], amounts: [{ country, currency, amount }] })
}

/** Gives the parts of a split payment to recipients in the country of its payer. */
function writeSplits (
  body: Record<string, unknown>,
  wire: Wire,
  account: Account,
  catalogue: Catalogue
): void {
  const payer = wire.walletPaths(kinds.splitPayment)
  const recipient = wire.walletPaths(kinds.payout)
  const provider = catalogue.providers.get(String(readPath(body, payer.provider)))
  const number = provider && findTestNumber(provider, kinds.payout)
  const filter = { operationType: kinds.payout.operation, country: provider?.country }
  const offerings = listOfferings(account, catalogue, filter)
  const { currency } = body
  body.splits = (body.splits as object[]).map((split) => {
    const payout = { ...split, payoutId: randomUUID(), amount: body.amount, currency }
    writePath(payout, recipient.provider, provider?.code)
    writePath(payout, recipient.phoneNumber, number ?? readPath(body, payer.phoneNumber))
    correctTerms(payout, recipient, kinds.payout, offerings)
    // The least payout can be more than the least deposit.
    const { currency: _, ...part } = payout
    body.amount = part.amount
    return part
  })
}

function findWire (wires: readonly Wire[], kind: Kind, query: Query): Wire {
  const { version = 'v2' } = readVersion(query)
  const wire = wires.find((one) => one.version === version && kind.name in one.codecs)
  if (wire !== undefined) return wire
  throw new AdminError(
    'BAD_REQUEST',
    `${version} has no ${kind.name}`,
    `use version=${kind.versions.join(' or ')}`
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
