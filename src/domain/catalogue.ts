import type { Static } from '@sinclair/typebox'
import { choice, closed, describe, Duration, text, Type } from '../lib/typebox.ts'
import { isFailureCode, type FailureCode } from './failures.ts'
import type { Operation } from './kinds.ts'
import data from './catalogue.json' with { type: 'json' }

/**
 * Countries, their providers and the operations of each provider. The data is in catalog.json, one
 * provider per block. A configuration can add to it or override it with the same fields.
 */

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
    type: describe("'USSD' or 'APP'", choice(['USSD', 'APP'])),
    quickLink: Type.Optional(Type.String({ description: 'a link that opens the channel' })),
    variables: Type.Record(Type.String(), Type.String(), {
      description: 'each variable of the texts with its value'
    })
  },
  closed
)

const OperationLimits = Type.Object(Limits, closed)

const DepositLimits = Type.Object(
  {
    ...Limits,
    pinPrompt: Type.Optional(
      choice(pinPrompts, { description: `${pinPrompts.join(' or ')}: how the PIN is asked` })
    ),
    pinPromptRevivable: Type.Optional(
      Type.Boolean({ description: 'true or false; true if the customer can ask for it again' })
    ),
    channels: Type.Optional(
      Type.Array(Channel, { description: 'a list of { type, quickLink, variables }' })
    )
  },
  closed
)

const currencyName = Type.String({ description: 'the name of the currency for customers' })
const limitsText = 'the limits of each operation'

const CurrencySchema = Type.Object(
  {
    displayName: currencyName,
    operationTypes: Type.Object(
      {
        DEPOSIT: Type.Optional(describe('the limits of deposits', DepositLimits)),
        PAYOUT: Type.Optional(describe('the limits of payouts', OperationLimits)),
        REFUND: Type.Optional(describe('the limits of refunds', OperationLimits)),
        REMITTANCE: Type.Optional(describe('the limits of remittances', OperationLimits))
      },
      { ...closed, description: limitsText }
    )
  },
  closed
)

const changedLimits = (description: string) =>
  Type.Optional(Type.Partial(OperationLimits, { ...closed, description }))

/** Part of a currency that a user changes; the rest stays as shipped. */
const CurrencyChanges = Type.Partial(
  Type.Object({
    displayName: currencyName,
    operationTypes: Type.Object(
      {
        DEPOSIT: Type.Optional(
          Type.Partial(DepositLimits, { ...closed, description: 'the limits of deposits' })
        ),
        PAYOUT: changedLimits('the limits of payouts'),
        REFUND: changedLimits('the limits of refunds'),
        REMITTANCE: changedLimits('the limits of remittances')
      },
      { ...closed, description: limitsText }
    )
  }),
  closed
)

const TestNumbers = Type.Record(
  Type.String({ pattern: '^[1-9][0-9]{6,14}$' }),
  Type.String({ description: 'COMPLETED, PENDING or a failure code' })
)
const Digits = Type.String({ pattern: '^[0-9]+$', description: 'digits' })

const ProviderSchema = Type.Object(
  {
    displayName: text('the name of the provider for customers'),
    authType: choice(authTypes, {
      description: `one of ${authTypes.join(', ')}: how customers authorise a deposit`
    }),
    assumed: Type.Optional(
      Type.Boolean({
        description:
          'true where limits and prefixes are guesses; switched off unless an account names it'
      })
    ),
    promptExpiresAfter: Type.Optional(Duration),
    nationalPrefixes: Type.Array(Digits, {
      description: 'a list of the digits that its national numbers begin with'
    }),
    testPrefixes: Type.Array(Digits, {
      description: 'a list of the digits that its test numbers begin with'
    }),
    currencies: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), CurrencySchema, {
      description: 'each currency by its code'
    }),
    testNumbers: Type.Object(
      {
        DEPOSIT: Type.Optional(describe('the numbers that decide deposits', TestNumbers)),
        PAYOUT: Type.Optional(describe('the numbers that decide payouts and refunds', TestNumbers))
      },
      { ...closed, description: 'the numbers that decide a payment, for each operation' }
    )
  },
  closed
)

const CountrySchema = Type.Object(
  {
    displayName: Type.Object(
      {
        en: Type.String({ description: 'the name in English' }),
        fr: Type.String({ description: 'the name in French' })
      },
      { ...closed, description: 'the name of the country, { en, fr }' }
    ),
    prefix: Type.String({
      pattern: '^[1-9][0-9]{0,3}$',
      description: 'the country code of its phone numbers, 1 to 4 digits'
    }),
    nationalNumberLengths: Type.Array(Type.Integer({ minimum: 4, maximum: 12 }), {
      minItems: 1,
      description: 'a list of the lengths of its national numbers, each from 4 to 12'
    }),
    providers: Type.Record(Type.String({ pattern: '^[A-Z0-9_]+$' }), ProviderSchema, {
      description: 'each provider by its code'
    })
  },
  closed
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
            currencies: Type.Record(Type.String({ pattern: '^[A-Z]{3}$' }), CurrencyChanges, {
              description: 'each currency by its code'
            })
          }),
          closed
        ),
        { description: 'each provider by its code' }
      )
    }),
    closed
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
