import { answerWord, choice, closed, orNull, Type } from '../../lib/typebox.ts'
import type { AmountStyle } from '../../domain/amount.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import type { PrefilledPayer } from '../../domain/checkout-terms.ts'
import {
  defaultExpiry,
  longestExpiry,
  returnMethods,
  shortestExpiry
} from '../../domain/checkout-terms.ts'
import type { Checkout } from '../../domain/payment.ts'
import {
  Amount,
  ClientReferenceId,
  Country,
  Currency,
  DateTime,
  FailureReason,
  Identifier,
  Message,
  MetadataObject,
  PhoneNumber,
  ProviderCode,
  ReturnUrl
} from '../fields.ts'
import {
  Metadata,
  omitUndefined,
  Party,
  readCommon,
  recordFields,
  wireStatus,
  writeRecord
} from './fields.ts'
import type { View } from '../wire.ts'
import { codec, metadataObject } from '../wire.ts'

/** A checkout in v2; the earlier one has none. */

const maxCountries = 100

const Price = Type.Object(
  { country: Country, currency: Currency, amount: Amount },
  { ...closed, description: '{ country, currency, amount }' }
)

const Payer = Type.Object(
  {
    type: Type.Literal('MMO', { description: "'MMO'" }),
    accountDetails: Type.Object(
      {
        phoneNumber: Type.Optional(orNull(PhoneNumber)),
        provider: Type.Optional(orNull(ProviderCode)),
        allowCustomerToOverride: Type.Boolean({
          description: 'true if the customer may pay from another wallet, else false'
        })
      },
      { ...closed, description: '{ phoneNumber, provider, allowCustomerToOverride }' }
    )
  },
  { ...closed, description: '{ type, accountDetails }' }
)

const Reason = Type.Record(Type.String({ pattern: '^[a-z]{2}$' }), Message, {
  ...closed,
  description: 'an object of a text for each language, such as { en, fr }'
})

const ReturnMethod = choice(returnMethods)
const Language = Type.String({
  pattern: '^[a-z]{2}$',
  description: "a language of two lower-case letters, such as 'en' or 'fr'"
})
const ExpiresAfter = Type.Integer({
  minimum: shortestExpiry,
  maximum: longestExpiry,
  description: `a whole number of minutes, ${shortestExpiry} to ${longestExpiry}`
})

const PayerRecord = Type.Object({
  type: Type.String(),
  accountDetails: Type.Object({
    phoneNumber: Type.Optional(Type.String()),
    provider: Type.Optional(Type.String()),
    allowCustomerToOverride: Type.Boolean()
  })
})

/** Status of an attempt. A reconciling attempt shows as PROCESSING. */
const AttemptStatus = answerWord('ACCEPTED', 'PROCESSING', 'COMPLETED', 'FAILED')

const AttemptRecord = Type.Object({
  depositId: Identifier,
  ...recordFields,
  status: AttemptStatus,
  payer: Party
})

/** Codec of checkouts. */
export const checkout = codec({
  request: Type.Object(
    {
      checkoutId: Identifier,
      returnUrl: ReturnUrl,
      returnMethod: Type.Optional(orNull(ReturnMethod)),
      defaultLanguage: Type.Optional(orNull(Language)),
      countries: Type.Optional(
        orNull(
          Type.Array(Country, {
            minItems: 1,
            maxItems: maxCountries,
            description: 'a list of one or more alpha-3 country codes'
          })
        )
      ),
      expiresAfter: Type.Optional(orNull(ExpiresAfter)),
      amounts: Type.Optional(
        orNull(
          Type.Array(Price, {
            minItems: 1,
            maxItems: maxCountries,
            description: 'a list of one or more { country, currency, amount }'
          })
        )
      ),
      payer: Type.Optional(orNull(Payer)),
      clientReferenceId: Type.Optional(orNull(ClientReferenceId)),
      reason: Type.Optional(orNull(Reason)),
      metadata: Type.Optional(orNull(Metadata))
    },
    { ...closed, description: 'a checkout' }
  ),
  read: ({
    checkoutId,
    clientReferenceId,
    metadata,
    returnUrl,
    returnMethod,
    expiresAfter,
    payer,
    ...rest
  }) => ({
    ...readCommon(checkoutId, { clientReferenceId, metadata }),
    terms: {
      returnUrl,
      returnMethod: returnMethod ?? 'INSTANT',
      expiresAfter: expiresAfter ?? defaultExpiry,
      ...omitUndefined(rest),
      ...(payer && {
        payer: {
          ...omitUndefined(payer.accountDetails),
          allowCustomerToOverride: payer.accountDetails.allowCustomerToOverride
        }
      })
    }
  }),
  record: Type.Object({
    checkoutId: Identifier,
    status: wireStatus('checkout'),
    redirectUrl: Type.String(),
    returnUrl: ReturnUrl,
    returnMethod: answerWord(...returnMethods),
    defaultLanguage: Type.Optional(Type.String()),
    countries: Type.Array(Country),
    expiresAfter: Type.Integer(),
    amounts: Type.Array(Price),
    payer: Type.Optional(PayerRecord),
    clientReferenceId: Type.Optional(Type.String()),
    created: DateTime,
    providerTransactionId: Type.Optional(Type.String()),
    failureReason: Type.Optional(FailureReason),
    depositStatus: Type.Optional(AttemptStatus),
    deposit: Type.Optional(AttemptRecord),
    depositsHistory: Type.Array(AttemptRecord),
    metadata: Type.Optional(MetadataObject),
    reason: Type.Optional(Type.Record(Type.String(), Type.String())),
    checkoutCode: Type.String()
  }),
  write: (
    { payment: { created, details }, state, parts }: View<Checkout>,
    amountStyle?: AmountStyle
  ) => {
    const { terms, redirectUrl, clientReferenceId, metadata, checkoutCode } = details
    const {
      countries,
      anyCountry,
      amounts = [],
      expiresAfter,
      returnUrl,
      returnMethod,
      defaultLanguage,
      reason,
      payer
    } = terms
    const depositsHistory = parts.map((part) => writeAttempt(part, amountStyle))
    const deposit = depositsHistory.at(-1)
    return {
      checkoutId: details.id,
      status: state.to,
      redirectUrl,
      returnUrl,
      returnMethod,
      defaultLanguage,
      countries: anyCountry === true ? [] : countries,
      expiresAfter,
      amounts,
      payer: payer && writePayer(payer),
      clientReferenceId,
      created: formatTimestamp(created),
      providerTransactionId: deposit?.providerTransactionId,
      failureReason: state.failure,
      depositStatus: deposit?.status,
      deposit,
      depositsHistory,
      metadata: metadataObject(metadata),
      reason,
      checkoutCode
    }
  },
  actions: { expire: true }
})

function writePayer (accountDetails: PrefilledPayer): object {
  return { type: 'MMO', accountDetails }
}

/** An attempt has fewer words for its state than the deposit it is. */
function writeAttempt (
  view: View,
  amounts?: AmountStyle
): { status: string; providerTransactionId?: string } {
  const record = { ...writeRecord(view, amounts), clientReferenceId: undefined }
  return { ...record, status: view.state.to === 'IN_RECONCILIATION' ? 'PROCESSING' : view.state.to }
}
