import type { Kind } from '../domain/kinds.ts'
import type { PageTerms } from '../domain/page-session.ts'
import type { PaymentRequest } from '../domain/payment-request.ts'

/** Bodies of v2, written from requests that were read as v1. */

type Body = Record<string, unknown>

/** Writes the body of a payment. */
export function writePayment (kind: Kind, payment: PaymentRequest): Body {
  const {
    id,
    depositId,
    amount,
    currency,
    phoneNumber,
    provider,
    customerMessage,
    clientReferenceId,
    preAuthorisationCode
  } = payment
  const party =
    phoneNumber === undefined
      ? undefined
      : { type: 'MMO', accountDetails: { phoneNumber, provider } }
  return omitUndefined({
    [kind.idField]: id,
    ...(depositId !== undefined && { depositId }),
    amount,
    currency,
    [kind.party]: party,
    preAuthorisationCode,
    customerMessage,
    clientReferenceId,
    metadata: writeMetadata(payment.metadata)
  })
}

/** Writes the body of a payment page. */
export function writePage ({
  depositId,
  returnUrl,
  customerMessage,
  amount,
  currency,
  phoneNumber,
  language,
  country,
  reason,
  metadata
}: PageTerms): Body {
  return omitUndefined({
    depositId,
    returnUrl,
    customerMessage,
    amountDetails: amount === undefined ? undefined : omitUndefined({ amount, currency }),
    phoneNumber,
    language,
    country,
    reason,
    metadata: writeMetadata(metadata)
  })
}

function writeMetadata (entries: PaymentRequest['metadata']): Body[] | undefined {
  return entries?.map(({ name, value, isPII }) => ({
    [name]: value,
    ...(isPII === true && { isPII })
  }))
}

/** Removes fields without a value. */
function omitUndefined (fields: Body): Body {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
