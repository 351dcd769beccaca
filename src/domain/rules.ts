import { explainProvider } from './similar-provider.ts'
import type { Account, Availability } from './account.ts'
import { defaultCustomerMessage } from './account.ts'
import { amountForms } from './amount.ts'
import type { AccountSettings } from './account-settings.ts'
import type { VersionRules } from './api-version.ts'
import type { Catalogue, Country, Provider } from './catalogue.ts'
import { operations, type Kind, type Operation } from './kinds.ts'
import type { PaymentDetails, PaymentRequest } from './payment-request.ts'
import { phoneRule } from './phone-number.ts'
import { refuse, type Refusal } from './refusal.ts'

/** Request that names its own amount and wallet. Only a refund does not. */
export type CompleteRequest = PaymentRequest & {
  amount: string
  currency: string
  provider: string
  phoneNumber: string
}

/** Input of the rules besides the request. */
export interface RuleContext {
  account: Account
  catalogue: Catalogue
  versionRules: VersionRules
}

/** Facts about a request to a provider, for the rules. */
interface RuleFacts {
  kind: Kind
  request: CompleteRequest
  account: Account
  versionRules: VersionRules
  provider: Provider
  /** Field and code of the provider, for messages. */
  named: string
  country: Country
  /** Operations that the account may use with the provider; undefined for none. */
  enabled: readonly Operation[] | undefined
  availability: Availability
}

/**
 * Rules of the account and the provider, in the documented order: the first broken rule refuses the
 * request. Pure: the same arguments give the same result.
 */
export function judgePayment (
  kind: Kind,
  request: CompleteRequest,
  context: RuleContext
): PaymentDetails | Refusal {
  const { account, catalogue, versionRules } = context
  const { fieldNames } = versionRules
  const provider = catalogue.providers.get(request.provider)
  if (provider === undefined) {
    return refuse(
      'UNKNOWN_PROVIDER',
      `${fieldNames.provider} '${request.provider}': ` +
        explainProvider(request.provider, catalogue.providers.keys()),
      'provider'
    )
  }
  const facts = factsOf(kind, request, provider, context)
  const refusal =
    refuseProvider(facts) ??
    refusePhoneNumber(facts) ??
    refuseAmount(facts) ??
    refuseAuthorisation(facts)
  return (
    refusal ?? {
      ...request,
      country: provider.country,
      customerMessage: request.customerMessage ?? defaultCustomerMessage(account.settings)
    }
  )
}

/** Lists all rules that an incomplete request breaks, as far as its fields are known. */
export function listBrokenRules (
  kind: Kind,
  request: Partial<CompleteRequest> & Pick<CompleteRequest, 'id'>,
  context: RuleContext
): Refusal[] {
  const provider = context.catalogue.providers.get(request.provider ?? '')
  if (provider === undefined) return []
  const { phoneNumber = '', currency = '', amount = '0' } = request
  const complete = { ...request, provider: provider.code, phoneNumber, currency, amount }
  const facts = factsOf(kind, complete, provider, context)
  const hasAmount = request.amount !== undefined && request.currency !== undefined
  return [
    refuseProvider(facts),
    request.phoneNumber === undefined ? undefined : refusePhoneNumber(facts),
    hasAmount ? refuseAmount(facts) : undefined,
    refuseAuthorisation(facts)
  ].filter((refusal) => refusal !== undefined)
}

function factsOf (
  kind: Kind,
  request: CompleteRequest,
  provider: Provider,
  { account, catalogue, versionRules }: RuleContext
): RuleFacts {
  const country = catalogue.countries.get(provider.country) as Country
  return {
    kind,
    request,
    account,
    versionRules,
    provider,
    named: `${versionRules.fieldNames.provider} '${provider.code}'`,
    country,
    enabled: enabledOperations(account.settings, provider),
    availability: availabilityOf(account, provider.code, kind.operation)
  }
}

/** Returns the operations that an account may use with a provider; undefined for none. */
export function enabledOperations (
  settings: AccountSettings,
  provider: Provider
): readonly Operation[] | undefined {
  const account =
    settings.operations === undefined
      ? operations
      : operations.filter((operation) => settings.operations?.includes(operation))
  if (settings.providers === undefined) return provider.assumed === true ? undefined : account
  const rowOf = (wanted: string) =>
    settings.providers?.find(
      (entry) => (typeof entry === 'string' ? entry : entry.provider) === wanted
    )
  // The row of a provider says more than that of its country, wherever it stands.
  const row = rowOf(provider.code) ?? rowOf(provider.country)
  if (row === undefined) return undefined
  const switchedOn = typeof row === 'string' ? undefined : row.operations
  return switchedOn === undefined
    ? account
    : account.filter((operation) => switchedOn.includes(operation))
}

/** Returns the simulated availability of a provider. */
export function availabilityOf (
  account: Account,
  provider: string,
  operation: Operation
): Availability {
  return account.outages.get(provider)?.[operation] ?? 'OPERATIONAL'
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
function refuseProvider (facts: RuleFacts): Refusal | undefined {
  const { kind, account, provider, named, enabled, availability: state } = facts
  const { operation, path, stateMachine } = kind
  const { country } = facts.request
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
  if (state === 'CLOSED' || (state === 'DELAYED' && stateMachine !== 'queueing')) {
    return refuse(
      'PROVIDER_UNAVAILABLE',
      `${named} is ${state} for ${operation} at the moment; try again when the availability ` +
        'says OPERATIONAL',
      'provider'
    )
  }
}

/** Refuses a phone number that is not one of the country. */
function refusePhoneNumber (facts: RuleFacts): Refusal | undefined {
  const { kind, request, versionRules, provider, country } = facts
  if (country.phonePattern.test(request.phoneNumber)) return undefined
  const field = `${kind.party}.${versionRules.fieldNames.phoneNumber}`
  return refuse(
    'PHONE_NUMBER',
    `${field} '${request.phoneNumber}' is not a number of ${provider.country}: ` +
      phoneRule(country),
    'phoneNumber'
  )
}

/** Refuses a currency that the provider does not take, and an amount outside of its limits. */
function refuseAmount (facts: RuleFacts): Refusal | undefined {
  const { provider, named } = facts
  const { operation } = facts.kind
  const { amount, currency } = facts.request
  const limits = provider.currencies[currency]?.operationTypes[operation]
  if (limits === undefined) {
    return refuse(
      'CURRENCY',
      `currency '${currency}' is not supported by ${named}; it takes ` +
        `${Object.keys(provider.currencies).join(', ')}`,
      'currency'
    )
  }
  if (!amountForms[limits.decimals].test(amount)) {
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
function refuseAuthorisation ({
  kind,
  request,
  versionRules: { can, fieldNames },
  provider: { authType, code }
}: RuleFacts): Refusal | undefined {
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
