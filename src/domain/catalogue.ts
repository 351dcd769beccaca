import type { Static } from '@sinclair/typebox'
import { Duration } from '../lib/duration.ts'
import { Type } from '../lib/typebox.ts'
import { isFailureCode, type FailureCode } from './failures.ts'
import type { Operation } from './kinds.ts'
import data from './catalogue.json' with { type: 'json' }

/**
 * Countries, their providers and the operations of each provider. The data is in catalog.json, one
 * provider per block. A configuration can add to it or override it with the same fields.
 */

const closed = { additionalProperties: false } as const

/** Ways in which the customers of a provider authorise a deposit. */
export const authTypes = ['PROVIDER_AUTH', 'PREAUTH', 'REDIRECT_AUTH'] as const
/** Ways in which the prompt for the PIN appears. */
export const pinPrompts = ['AUTOMATIC', 'MANUAL'] as const

const Amount = Type.String({
  pattern: '^(0|[1-9][0-9]{0,11})([.][0-9]{1,2})?$',
  description: 'an amount in quotes, at most twelve digits before the point'
})

const Limits = {
  min: Amount,
  max: Amount,
  decimals: Type.Union([Type.Literal(0), Type.Literal(2)], { description: '0 or 2' }),
  assumed: Type.Optional(
    Type.Boolean({ description: 'true where the public record shows no figure' })
  )
}

const Channel = Type.Object(
  {
    type: Type.Union([Type.Literal('USSD'), Type.Literal('APP')]),
    quickLink: Type.Optional(Type.String()),
    variables: Type.Record(Type.String(), Type.String())
  },
  { additionalProperties: false }
)

const OperationLimits = Type.Object(Limits, { additionalProperties: false })

const DepositLimits = Type.Object(
  {
    ...Limits,
    pinPrompt: Type.Optional(Type.Union(pinPrompts.map((type) => Type.Literal(type)))),
    pinPromptRevivable: Type.Optional(Type.Boolean()),
    channels: Type.Optional(Type.Array(Channel))
  },
  { additionalProperties: false }
)

const CurrencySchema = Type.Object(
  {
    displayName: Type.String(),
    operationTypes: Type.Object(
      {
        DEPOSIT: Type.Optional(DepositLimits),
        PAYOUT: Type.Optional(OperationLimits),
        REFUND: Type.Optional(OperationLimits),
        REMITTANCE: Type.Optional(OperationLimits)
      },
      { additionalProperties: false }
    )
  },
  { additionalProperties: false }
)

/** Part of a currency that a user changes; the rest stays as shipped. */
const CurrencyChanges = Type.Partial(
  Type.Object({
    displayName: Type.String(),
    operationTypes: Type.Object(
      {
        DEPOSIT: Type.Optional(Type.Partial(DepositLimits, closed)),
        PAYOUT: Type.Optional(Type.Partial(OperationLimits, closed)),
        REFUND: Type.Optional(Type.Partial(OperationLimits, closed)),
        REMITTANCE: Type.Optional(Type.Partial(OperationLimits, closed))
      },
      closed
    )
  }),
  closed
)

const TestNumbers = Type.Record(
  Type.String({ pattern: '^[1-9][0-9]{6,14}$' }),
  Type.String({ description: 'COMPLETED, PENDING or a failure code' })
)

const ProviderSchema = Type.Object(
  {
    displayName: Type.String({ minLength: 1 }),
    authType: Type.Union(authTypes.map((type) => Type.Literal(type))),
    assumed: Type.Optional(
      Type.Boolean({
        description:
          'true where limits and prefixes are guesses; switched off unless an account names it'
      })
    ),
    promptExpiresAfter: Type.Optional(Duration),
    nationalPrefixes: Type.Array(Type.String({ pattern: '^[0-9]+$' })),
    testPrefixes: Type.Array(Type.String({ pattern: '^[0-9]+$' })),
    currencies: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), CurrencySchema),
    testNumbers: Type.Object(
      { DEPOSIT: Type.Optional(TestNumbers), PAYOUT: Type.Optional(TestNumbers) },
      { additionalProperties: false }
    )
  },
  { additionalProperties: false }
)

const CountrySchema = Type.Object(
  {
    displayName: Type.Object(
      { en: Type.String(), fr: Type.String() },
      { additionalProperties: false }
    ),
    prefix: Type.String({ pattern: '^[1-9][0-9]{0,3}$' }),
    nationalNumberLengths: Type.Array(Type.Integer({ minimum: 4, maximum: 12 }), { minItems: 1 }),
    providers: Type.Record(Type.String({ pattern: '^[A-Z0-9_]+$' }), ProviderSchema)
  },
  { additionalProperties: false }
)

export const CatalogueSchema = Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), CountrySchema)

/**
 * Content of `countries` in a configuration. A country or provider of the catalogue needs only the
 * parts that change.
 */
export const CatalogueChanges = Type.Record(
  Type.String({ pattern: '^[A-Z]{3}$' }),
  Type.Partial(
    Type.Object({
      ...CountrySchema.properties,
      providers: Type.Record(
        Type.String({ pattern: '^[A-Z0-9_]+$' }),
        Type.Partial(
          Type.Object({
            ...ProviderSchema.properties,
            currencies: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), CurrencyChanges)
          }),
          { additionalProperties: false }
        )
      )
    }),
    { additionalProperties: false }
  ),
  {
    description: 'countries and providers to add, or to change in part',
    additionalProperties: false
  }
)

export type CatalogueData = Static<typeof CatalogueSchema>
type CountryData = CatalogueData[string]
export type ProviderData = CountryData['providers'][string]
export type ProviderCurrency = ProviderData['currencies'][string]

export interface Country extends CountryData {
  /**
   * Form of its phone numbers in the API: digits, the prefix first, without a leading zero, and as
   * long as those of the country are.
   */
  phonePattern: RegExp
}

export interface Provider extends ProviderData {
  code: string
  country: string
}

/** Effect of a sandbox test number: it completes, stays pending, or fails with a code. */
export type TestOutcome = 'COMPLETED' | 'PENDING' | FailureCode

export interface Catalogue {
  countries: Map<string, Country>
  providers: Map<string, Provider>
  /** Outcomes of the sandbox test numbers, by operation and phone number. */
  testOutcomes: Record<Operation, ReadonlyMap<string, TestOutcome>>
}

export const shippedCatalogue = data as CatalogueData

/** The catalogue in the form the rules look things up in. */
export function buildCatalogue (data: CatalogueData): Catalogue {
  const countries = new Map<string, Country>()
  const providers = new Map<string, Provider>()
  const deposits = new Map<string, TestOutcome>()
  const payouts = new Map<string, TestOutcome>()
  for (const [country, about] of Object.entries(data)) {
    countries.set(country, { ...about, phonePattern: phonePatternOf(about) })
    for (const [provider, row] of Object.entries(about.providers)) {
      providers.set(provider, { ...row, code: provider, country })
      for (const [number, outcome] of Object.entries(row.testNumbers.DEPOSIT ?? {})) {
        deposits.set(number, readOutcome(outcome))
      }
      for (const [number, outcome] of Object.entries(row.testNumbers.PAYOUT ?? {})) {
        payouts.set(number, readOutcome(outcome))
      }
    }
  }
  return {
    countries,
    providers,
    testOutcomes: { DEPOSIT: deposits, PAYOUT: payouts, REFUND: payouts, REMITTANCE: payouts }
  }
}

function phonePatternOf ({ prefix, nationalNumberLengths }: CountryData): RegExp {
  return new RegExp(`^${prefix}(${nationalNumberLengths.map((n) => `[0-9]{${n}}`).join('|')})$`)
}

/** Outcome of a test number. The check of the catalogue has refused unknown words. */
function readOutcome (text: string): TestOutcome {
  return text === 'PENDING' || isFailureCode(text) ? text : 'COMPLETED'
}

/**
 * The limits of one operation of a provider in a currency, if it has that currency and that
 * operation.
 */
export function limitsOf (
  provider: Provider,
  currency: string,
  operation: Operation
): Static<typeof DepositLimits> | undefined {
  return provider.currencies[currency]?.operationTypes[operation]
}

/**
 * The shipped catalogue with a user's changes: objects are merged, lists and plain values replaced.
 */
export function changeCatalogue (base: CatalogueData, changes: object): unknown {
  return merge(base, changes)
}

function merge (base: unknown, change: unknown): unknown {
  if (!isPlain(base) || !isPlain(change)) return change
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(change)) merged[key] = merge(merged[key], value)
  return merged
}

function isPlain (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
