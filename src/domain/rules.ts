import type { Account } from './account.ts'
import { availabilityOf, defaultCustomerMessage, enabledOperations } from './account.ts'
import { significantDecimals } from './amount.ts'
import type { Catalogue, Country, Provider } from './catalogue.ts'
import { limitsOf } from './catalogue.ts'
import type { Kind } from './kinds.ts'
import type { PaymentDetails, PaymentRequest } from './payment-request.ts'
import type { Generation } from './api-version.ts'
import { isPhoneNumber, phoneRule } from './phone-number.ts'
import type { Refusal, RefusalCode } from './refusal.ts'

/** An instruction that names its own amount and wallet: everything but a refund. */
export type CompleteRequest = PaymentRequest & {
  amount: string
  currency: string
  provider: string
  phoneNumber: string
}

/** What each generation calls the fields the messages speak of. */
const words: Record<Generation, { provider: string; phoneNumber: string }> = {
  v2: { provider: 'provider', phoneNumber: 'accountDetails.phoneNumber' },
  v1: { provider: 'correspondent', phoneNumber: 'address.value' }
}

/**
 * What the account and the provider say to an instruction, in the documented order: the first rule
 * that is broken refuses it. Pure: the same arguments always give the same verdict.
 */
export function judgePayment (
  kind: Kind,
  paymentRequest: CompleteRequest,
  account: Account,
  catalogue: Catalogue,
  generation: Generation
): PaymentDetails | Refusal {
  const { amount, currency, phoneNumber } = paymentRequest
  const { operation } = kind
  const word = words[generation]

  const provider = catalogue.providers.get(paymentRequest.provider)
  if (provider === undefined) {
    return refuse(
      'UNKNOWN_PROVIDER',
      `${word.provider} '${paymentRequest.provider}' does not exist; the active configuration ` +
        'lists those that do'
    )
  }
  const named = `${word.provider} '${provider.code}'`

  const enabled = enabledOperations(account.settings, provider)
  if (enabled === undefined) {
    return refuse(
      'PROVIDER_NOT_ENABLED',
      `${named} is not enabled on this account; add it to the account's providers`
    )
  }
  if (!enabled.includes(operation)) {
    return refuse('KIND_NOT_ALLOWED', `${kind.path} are not enabled for ${named} on this account`)
  }

  const country = catalogue.countries.get(provider.country) as Country
  if (paymentRequest.country !== undefined && paymentRequest.country !== provider.country) {
    return refuse(
      'COUNTRY',
      `country '${paymentRequest.country}' is not the country of ${named}, which is ` +
        `'${provider.country}'`
    )
  }

  const state = availabilityOf(account, provider.code, operation)
  if (state === 'CLOSED' || (state === 'DELAYED' && kind.stateMachine !== 'queueing')) {
    return refuse(
      'PROVIDER_UNAVAILABLE',
      `${named} is ${state} for ${operation} at the moment; try again when the availability ` +
        'says OPERATIONAL'
    )
  }

  if (!isPhoneNumber(phoneNumber, country)) {
    return refuse(
      'PHONE_NUMBER',
      `${kind.party}.${word.phoneNumber} '${phoneNumber}' is not a number of ` +
        `${provider.country}: ${phoneRule(country)}`
    )
  }

  const limits = limitsOf(provider, currency, operation)
  if (limits === undefined) {
    return refuse(
      'CURRENCY',
      `currency '${currency}' is not supported by ${named}; it takes ` +
        `${Object.keys(provider.currencies).join(', ')}`
    )
  }
  if (significantDecimals(amount) > limits.decimals) {
    return refuse(
      'DECIMALS',
      `amount '${amount}' has more decimals than ${named} takes for ${operation} in ` +
        `${currency}: ${limits.decimals === 0 ? 'none' : limits.decimals}`
    )
  }
  if (Number(amount) < Number(limits.min)) {
    return refuse(
      'BELOW_MINIMUM',
      `amount '${amount}' is below the minimum of ${limits.min} ${currency} of ${named}`
    )
  }
  if (Number(amount) > Number(limits.max)) {
    return refuse(
      'ABOVE_MAXIMUM',
      `amount '${amount}' is above the maximum of ${limits.max} ${currency} of ${named}`
    )
  }

  const missing = authorisationField(kind, provider, paymentRequest, generation)
  if (missing !== undefined) {
    return refuse(
      'MISSING',
      `${missing} is required, because ${named} authorises deposits by ${provider.authType}`
    )
  }

  return {
    ...paymentRequest,
    country: provider.country,
    customerMessage: paymentRequest.customerMessage ?? defaultCustomerMessage(account.settings)
  }
}

/** The field a deposit must carry for its provider's way of authorising, when it does not. */
function authorisationField (
  kind: Kind,
  provider: Provider,
  paymentRequest: PaymentRequest,
  generation: Generation
): string | undefined {
  if (kind.operation !== 'DEPOSIT') return undefined
  if (provider.authType === 'PREAUTH' && !paymentRequest.preAuthorisationCode) {
    return 'preAuthorisationCode'
  }
  // The earlier generation has no fields for the two addresses.
  if (provider.authType === 'REDIRECT_AUTH' && generation === 'v2') {
    if (paymentRequest.successfulUrl === undefined) return 'successfulUrl'
    if (paymentRequest.failedUrl === undefined) return 'failedUrl'
  }
  return undefined
}

function refuse (code: RefusalCode, message: string): Refusal {
  return { code, message }
}
