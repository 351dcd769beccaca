import type { CheckoutTerms } from './checkout-terms.ts'

/**
 * Requests for payments. Both API versions are read into a PaymentRequest and written from
 * PaymentDetails.
 */

export interface MetadataEntry {
  name: string
  value: string
  isPII?: boolean
}

/** One payout of a split payment. */
export interface Split {
  payoutId: string
  amount: string
  phoneNumber: string
  provider: string
  customerMessage?: string
}

export interface PaymentRequest {
  id: string
  amount?: string
  currency?: string
  country?: string
  provider?: string
  phoneNumber?: string
  customerMessage?: string
  clientReferenceId?: string
  metadata?: MetadataEntry[]
  preAuthorisationCode?: string
  successfulUrl?: string
  failedUrl?: string
  /** The customer is in a browser, so a redirecting provider waits for them. */
  attended?: boolean
  /** v1: time at which the merchant began the payment. */
  customerTimestamp?: string
  /** Deposit of a refund. */
  depositId?: string
  /** Sender and recipient of a remittance, as the merchant wrote them. */
  sender?: object
  recipientDetails?: object
  /** Payouts of a split payment. */
  splits?: Split[]
  /** Terms of a checkout. */
  terms?: CheckoutTerms
}

/** Request that passed all rules: every field a record needs has a value. */
export interface PaymentDetails extends PaymentRequest {
  amount: string
  currency: string
  country: string
  provider: string
  phoneNumber: string
  customerMessage: string
  /** Page on which the customer authorises the deposit, for a redirecting provider. */
  authorizationUrl?: string
  /** Part of another payment: only the whole sends callbacks. */
  silent?: boolean
}

/** Checkout that passed all rules. */
export interface CheckoutDetails {
  id: string
  clientReferenceId?: string
  metadata?: MetadataEntry[]
  /** With countries: the requested ones, or all countries of the account. */
  terms: CheckoutTerms & { countries: string[]; anyCountry?: boolean }
  checkoutCode: string
  redirectUrl: string
  silent?: never
}
