import type { Static } from '@sinclair/typebox'
import { uuidPattern } from '../lib/ids.ts'
import { choice, Type } from '../lib/typebox.ts'
import { EarlierVersion, readVersion, versions, type Version } from '../domain/api-version.ts'
import { difference, type Difference } from './body-comparison.ts'
import { failures, isFailureCode } from '../domain/failures.ts'
import { kinds, type KindName } from '../domain/kinds.ts'
import type { ProviderCode } from '../domain/provider-code.ts'
import { statuses, type Status } from '../domain/status.ts'

/** Matcher of payments. It names only the fields that matter; each of them must match. */

const pattern = <Text extends string = string>(form: string, description: string) =>
  Type.Optional(Type.Unsafe<Text>(Type.String({ pattern: form, description })))

export const PaymentMatcherSchema = Type.Object(
  {
    kind: Type.Optional(choice(Object.values(kinds).map(({ name }) => name))),
    id: pattern(uuidPattern, 'the UUID of the payment'),
    version: Type.Optional(choice(versions)),
    generation: EarlierVersion,
    status: Type.Optional(choice(statuses)),
    failureCode: Type.Optional(choice(Object.keys(failures).filter(isFailureCode))),
    amount: Type.Optional(
      Type.Union([Type.String({ pattern: '^[0-9]+([.][0-9]+)?$' }), Type.Number({ minimum: 0 })], {
        description: 'the amount as a number or a text; "15" and "15.00" are the same'
      })
    ),
    currency: pattern('^[A-Z]{3}$', 'a currency code such as ZMW'),
    provider: pattern<ProviderCode>('^[A-Z0-9_]+$', 'the code of a provider, such as MTN_MOMO_ZMB'),
    phoneNumber: pattern(
      '^[0-9]+$',
      'the phone number of the customer, digits with the country code'
    ),
    clientReferenceId: Type.Optional(Type.String({ description: 'the reference of the merchant' })),
    scenario: Type.Optional(Type.String({ description: 'the scenario that it follows' }))
  },
  {
    additionalProperties: false,
    description:
      '{ kind, id, version, status, failureCode, amount, currency, provider, phoneNumber, ' +
      'clientReferenceId, scenario }'
  }
)

export type PaymentMatcher = Static<typeof PaymentMatcherSchema>

/** Fields of a payment that can be matched. */
export interface SeenPayment {
  kind: KindName
  id: string
  version: Version
  status: Status
  failureCode?: string
  amount?: string
  currency?: string
  provider?: string
  phoneNumber?: string
  clientReferenceId?: string
  scenario: string
}

/** Lists how a payment differs from a matcher; the list is empty if it matches. */
export function differencesOfPayment (wanted: PaymentMatcher, seen: SeenPayment): Difference[] {
  const { amount, id, ...words } = readVersion(wanted)
  const got: Partial<Record<string, string>> = { ...seen }
  return [
    ...Object.entries({ ...words, id: id?.toLowerCase() })
      .filter(([field, value]) => value !== undefined && value !== got[field])
      .map(([field, value]) => difference(field, value, got[field])),
    ...(amount === undefined || Number(amount) === Number(seen.amount ?? NaN)
      ? []
      : [difference('amount', amount, seen.amount)])
  ]
}
