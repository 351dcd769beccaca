import type { Account } from './account.ts'
import { availabilityOf, defaultCustomerMessage, enabledOperations } from './account.ts'
import { significantDecimals } from './amount.ts'
import type { ApiVersion } from './api-version.ts'
import type { Catalogue, Country, Provider } from './catalogue.ts'
import { limitsOf } from './catalogue.ts'
import type { Kind } from './kinds.ts'
import type { PaymentDetails, PaymentRequest } from './payment-request.ts'
import { isPhoneNumber, phoneRule } from './phone-number.ts'
import { refuse, type Refusal } from './refusal.ts'

/** Request that names its own amount and wallet. Only a refund does not. */
export type CompleteRequest = PaymentRequest & {
  amount: string
  currency: string
  provider: string
  phoneNumber: string
}

/** What the rules look at beside the request. */
export interface RuleContext {
  account: Account
  catalogue: Catalogue
  version: ApiVersion
}

/**
 * Rules of the account and the provider, in the documented order: the first broken rule refuses the
 * request. Pure: the same arguments give the same result.
 */
export function judgePayment (
  kind: Kind,
  request: CompleteRequest,
  { account, catalogue, version }: RuleContext
): PaymentDetails | Refusal {
  const { fieldNames } = version
  const provider = catalogue.providers.get(request.provider)
  if (provider === undefined) {
    return refuse(
      'UNKNOWN_PROVIDER',
      `${fieldNames.provider} '${request.provider}' does not exist; ` +
        suggestProvider(request.provider, catalogue),
      'provider'
    )
  }
  const named = `${fieldNames.provider} '${provider.code}'`
  const country = catalogue.countries.get(provider.country) as Country
  const refusal =
    refuseProvider(kind, request, account, provider, named) ??
    refusePhoneNumber(kind, request, country, provider, fieldNames.phoneNumber) ??
    refuseAmount(kind, request, provider, named) ??
    refuseAuthorisation(kind, request, provider, version)
  return (
    refusal ?? {
      ...request,
      country: provider.country,
      customerMessage: request.customerMessage ?? defaultCustomerMessage(account.settings)
    }
  )
}

/** Hint for an unknown provider: real clients write ORANGE_MONEY_CMR, MTN_GHA, AIRTEL_OAPI_COG. */
function suggestProvider (code: string, { providers }: Catalogue): string {
  const [operator, ...others] = code.toUpperCase().split('_')
  const similar = [...providers.keys()].find(
    (known) => known.startsWith(`${operator}_`) && known.endsWith(`_${others.at(-1) ?? ''}`)
  )
  return similar === undefined
    ? 'the active configuration lists those that do'
    : `did you mean ${similar}?`
}

/** Refuses a kind that is switched off for the whole account. */
export function refuseKind ({ path, operation }: Kind, { settings }: Account): Refusal | undefined {
  if (settings.operations === undefined || settings.operations.includes(operation)) return undefined
  return refuse(
    'KIND_NOT_ALLOWED',
    `${path} are not enabled on this account; add ${operation} to its operations`
  )
}

/** Refuses a provider that is not enabled, is of another country or is not available. */
function refuseProvider (
  kind: Kind,
  { country }: CompleteRequest,
  account: Account,
  provider: Provider,
  named: string
): Refusal | undefined {
  const { operation, path, stateMachine } = kind
  const enabled = enabledOperations(account.settings, provider)
  if (enabled === undefined) {
    return refuse(
      'PROVIDER_NOT_ENABLED',
      `${named} is not enabled on this account; add it to the account's providers`,
      'provider'
    )
  }
  if (!enabled.includes(operation)) {
    return (
      refuseKind(kind, account) ??
      refuse(
        'KIND_NOT_ALLOWED',
        `${path} are not enabled for ${named} on this account; add ${operation} to its ` +
          "operations in the account's providers",
        'provider'
      )
    )
  }
  if (country !== undefined && country !== provider.country) {
    return refuse(
      'COUNTRY',
      `country '${country}' is not the country of ${named}, which is '${provider.country}'`,
      'country'
    )
  }
  const state = availabilityOf(account, provider.code, operation)
  if (state === 'CLOSED' || (state === 'DELAYED' && stateMachine !== 'queueing')) {
    return refuse(
      'PROVIDER_UNAVAILABLE',
      `${named} is ${state} for ${operation} at the moment; try again when the availability ` +
        'says OPERATIONAL',
      'provider'
    )
  }
}

function refusePhoneNumber (
  { party }: Kind,
  { phoneNumber }: CompleteRequest,
  country: Country,
  provider: Provider,
  field: string
): Refusal | undefined {
  if (isPhoneNumber(phoneNumber, country)) return undefined
  return refuse(
    'PHONE_NUMBER',
    `${party}.${field} '${phoneNumber}' is not a number of ${provider.country}: ` +
      phoneRule(country),
    'phoneNumber'
  )
}

function refuseAmount (
  { operation }: Kind,
  { amount, currency }: CompleteRequest,
  provider: Provider,
  named: string
): Refusal | undefined {
  const limits = limitsOf(provider, currency, operation)
  if (limits === undefined) {
    return refuse(
      'CURRENCY',
      `currency '${currency}' is not supported by ${named}; it takes ` +
        `${Object.keys(provider.currencies).join(', ')}`,
      'currency'
    )
  }
  if (significantDecimals(amount) > limits.decimals) {
    return refuse(
      'DECIMALS',
      `amount '${amount}' has more decimals than ${named} takes for ${operation} in ` +
        `${currency}: ${limits.decimals === 0 ? 'none' : limits.decimals}`,
      'amount'
    )
  }
  if (Number(amount) < Number(limits.min)) {
    return refuse(
      'BELOW_MINIMUM',
      `amount '${amount}' is below the minimum of ${limits.min} ${currency} of ${named}`,
      'amount'
    )
  }
  if (Number(amount) > Number(limits.max)) {
    return refuse(
      'ABOVE_MAXIMUM',
      `amount '${amount}' is above the maximum of ${limits.max} ${currency} of ${named}`,
      'amount'
    )
  }
}

/** Refuses a deposit without the fields that its provider's authorisation needs. */
function refuseAuthorisation (
  kind: Kind,
  request: PaymentRequest,
  { authType, code }: Provider,
  { can, fieldNames }: ApiVersion
): Refusal | undefined {
  if (kind.operation !== 'DEPOSIT') return undefined
  const needed: Array<'preAuthorisationCode' | 'successfulUrl' | 'failedUrl'> =
    authType === 'PREAUTH'
      ? ['preAuthorisationCode']
      : authType === 'REDIRECT_AUTH' && can.redirect
        ? ['successfulUrl', 'failedUrl']
        : []
  const missing = needed.find((field) => !request[field])
  if (missing === undefined) return undefined
  return refuse(
    'MISSING',
    `${missing} is required, because ${fieldNames.provider} '${code}' authorises deposits by ` +
      authType,
    missing
  )
}
