/** Terms of a checkout: the values that the merchant fixes, and the choices of the customer. */

export const returnMethods = ['INSTANT', 'COUNTDOWN', 'CUSTOMER_ACTION'] as const

/** Lifetime of a checkout, in minutes. */
export const shortestExpiry = 3
export const longestExpiry = 60
export const defaultExpiry = 15

/** Price in a country. */
export interface Price {
  country: string
  currency: string
  amount: string
}

/** Wallet that a checkout suggests, or fixes if the customer may not override it. */
export interface PrefilledPayer {
  phoneNumber?: string
  provider?: string
  allowCustomerToOverride: boolean
}

export interface CheckoutTerms {
  returnUrl: string
  returnMethod: (typeof returnMethods)[number]
  defaultLanguage?: string
  countries?: string[]
  /** In minutes. */
  expiresAfter: number
  amounts?: Price[]
  payer?: PrefilledPayer
  /** Text about the purchase, by language. */
  reason?: Record<string, string>
}
