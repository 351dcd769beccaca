import { kinds } from '../domain/kinds.ts'
import { statusesOf } from '../domain/status.ts'
import type { Static } from '@sinclair/typebox'
import { answerWord, closed, describe, Type } from '../lib/typebox.ts'
import { formatTimestamp } from '../lib/clock.ts'
import type { Account } from '../domain/account.ts'
import { defaultCompanyName } from '../domain/account.ts'
import { formatAmount } from '../domain/amount.ts'
import { limitsOf } from '../domain/catalogue.ts'
import type { PaymentOption } from '../domain/payment-options.ts'
import {
  Amount,
  Country,
  Currency,
  DateTime,
  FailureReason,
  PhoneNumber,
  PreAuthorisationCode,
  ProviderCode
} from './fields.ts'
import type { View } from './wire.ts'

/** JSON version of the customer pages, so that a test needs no browser. */

/** Choice of a customer. */
export const ChoiceBody = Type.Object(
  {
    country: Type.Optional(Country),
    provider: Type.Optional(ProviderCode),
    phoneNumber: Type.Optional(PhoneNumber),
    currency: Type.Optional(Currency),
    amount: Type.Optional(Amount),
    preAuthorisationCode: Type.Optional(PreAuthorisationCode),
    attended: Type.Optional(
      Type.Boolean({
        description:
          'true if the customer is there to authorise it: a deposit of a redirecting ' +
          'provider then waits for them, as it does when the form of the page is used'
      })
    )
  },
  {
    ...closed,
    description:
      '{ country, provider, phoneNumber, currency, amount, preAuthorisationCode, attended }'
  }
)

/** Input of a prediction. A number without its country code needs the country. */
export const PhoneQuery = Type.Object({
  phoneNumber: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'a phone number as people write it'
  }),
  country: Type.Optional(Country)
})

/** Provider of a number. */
export const PredictionRecord = Type.Object(
  {
    country: Type.String(),
    provider: Type.String(),
    displayName: Type.String(),
    phoneNumber: Type.String()
  },
  closed
)

/** Address of the payer's phone on this server, for testers. */
export const PhonePage = Type.String({
  description: 'the path of the phone page of the payer, see the admin calls'
})

export const OfferRecord = Type.Object({
  country: Type.String(),
  displayName: Type.Object({ en: Type.String(), fr: Type.String() }),
  prefix: Type.String(),
  providers: Type.Array(
    Type.Object({
      provider: Type.String(),
      displayName: Type.String(),
      authType: Type.String(),
      currencies: Type.Array(
        Type.Object({
          currency: Type.String(),
          minAmount: Type.String(),
          maxAmount: Type.String(),
          decimals: Type.Integer()
        })
      )
    })
  )
})

export const DepositRecord = Type.Object({
  depositId: Type.String({ description: 'the identifier of the deposit' }),
  status: describe('its status now', answerWord(...statusesOf(kinds.deposit))),
  created: DateTime,
  amount: Type.String({ description: 'the amount, as it was sent' }),
  currency: Type.String({ description: 'its currency' }),
  country: Type.String({ description: 'the country of the number' }),
  provider: Type.String({ description: 'the provider of the number' }),
  phoneNumber: Type.String({ description: 'the number of the customer' }),
  authorizationUrl: Type.Optional(
    Type.String({ description: 'the page where the customer authorises it' })
  ),
  failureReason: Type.Optional(describe('why it failed', FailureReason))
})

/** Error of a customer page, with the facts about the deposit if there is one. */
export const CustomerError = Type.Object(
  { error: Type.Object({ code: Type.String(), message: Type.String(), hint: Type.String() }) },
  { additionalProperties: Type.String() }
)

/** A country to pay from, with the limits of its providers. */
export function writeOffer ({
  code,
  country,
  providers
}: PaymentOption): Static<typeof OfferRecord> {
  return {
    country: code,
    displayName: country.displayName,
    prefix: country.prefix,
    providers: providers.map((provider) => ({
      provider: provider.code,
      displayName: provider.displayName,
      authType: provider.authType,
      currencies: Object.keys(provider.currencies).flatMap((currency) => {
        const limits = limitsOf(provider, currency, 'DEPOSIT')
        return limits === undefined
          ? []
          : [{ currency, minAmount: limits.min, maxAmount: limits.max, decimals: limits.decimals }]
      })
    }))
  }
}

/** A deposit as its payer sees it. */
export function writeDeposit ({
  payment: { created, details },
  state
}: View): Static<typeof DepositRecord> {
  const { id, amount, currency, country, provider, phoneNumber, authorizationUrl } = details
  const waiting = state.to === 'PROCESSING' && authorizationUrl !== undefined
  return {
    depositId: id,
    status: state.to,
    created: formatTimestamp(created),
    amount: formatAmount(amount),
    currency,
    country,
    provider,
    phoneNumber,
    failureReason: state.failure,
    ...(waiting && { authorizationUrl })
  }
}

/** Name of the merchant. */
export function companyName ({ settings }: Account): string {
  return settings.companyName ?? defaultCompanyName
}

/** Address to which a customer returns, with one more parameter. */
export function returnUrlOf (
  returnUrl: string,
  name: string,
  value: string,
  isCancelled = false
): string {
  // The rest stays as the merchant wrote it, to the letter: it may be signed.
  const [, address, fragment = ''] = /^([^#]*)(#.*)?$/s.exec(returnUrl) ?? []
  const joint = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  const cancel = isCancelled ? '&cancel=true' : ''
  return `${address}${joint}${name}=${encodeURIComponent(value)}${cancel}${fragment}`
}
