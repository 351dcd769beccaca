import type { Catalogue, Provider } from '../domain/catalogue.ts'
import { kinds, type KindName } from '../domain/kinds.ts'

/** Requests that `momock send` makes: valid ones, with values that the user can replace. */

/** Kinds that can be sent. */
export const sendableKinds = [
  'deposit',
  'payout',
  'refund',
  'remittance',
  'checkout'
] as const satisfies readonly KindName[]
export type SendableKind = (typeof sendableKinds)[number]

/** Values of a request. Those that are absent get a default. */
export interface GivenValues {
  id: string
  amount?: string | undefined
  currency?: string | undefined
  phoneNumber?: string | undefined
  /** Deposit of a refund. */
  deposit?: string | undefined
  /** Page that the customer returns to. */
  returnUrl: string
}

/** Amount of a request, unless the provider wants more. */
const usualAmount = 15

/** Builds the body of a request of v2. */
export function buildSampleRequest (
  kind: SendableKind,
  provider: Provider,
  given: GivenValues,
  catalogue: Catalogue
): object {
  const { id, deposit, returnUrl } = given
  const currency = given.currency ?? Object.keys(provider.currencies)[0]
  const amount = given.amount ?? chooseAmount(kind, provider, currency)
  const accountDetails = {
    phoneNumber: given.phoneNumber ?? choosePhoneNumber(kind, provider, catalogue),
    provider: provider.code
  }
  const party = { type: 'MMO', accountDetails }
  const { idField } = kinds[kind]
  switch (kind) {
    case 'deposit':
      return {
        [idField]: id,
        amount,
        currency,
        payer: party,
        ...(provider.authType === 'PREAUTH' && { preAuthorisationCode: '367025' }),
        ...(provider.authType === 'REDIRECT_AUTH' && {
          successfulUrl: returnUrl,
          failedUrl: returnUrl
        })
      }
    case 'payout':
      return { [idField]: id, amount, currency, recipient: party }
    case 'refund':
      return {
        [idField]: id,
        depositId: deposit,
        ...(given.amount !== undefined && { amount, currency })
      }
    case 'remittance':
      return {
        [idField]: id,
        amount,
        currency,
        recipient: { ...party, recipientDetails: { firstName: 'Mutale', lastName: 'Banda' } },
        sender: createSender(amount)
      }
    case 'checkout':
      return {
        [idField]: id,
        returnUrl,
        countries: [provider.country],
        amounts: [{ country: provider.country, currency, amount }]
      }
  }
}

function chooseAmount (kind: SendableKind, provider: Provider, currency: string): string {
  const limits = provider.currencies[currency]?.operationTypes[kinds[kind].operation]
  return Math.max(usualAmount, Math.ceil(Number(limits?.min ?? 0))).toFixed(limits?.decimals ?? 2)
}

/** Chooses a test number of the provider that completes, or else any number of its ranges. */
function choosePhoneNumber (
  kind: SendableKind,
  { code, country, testNumbers, nationalPrefixes }: Provider,
  { countries }: Catalogue
): string {
  const { operation } = kinds[kind]
  const numbers =
    operation === 'DEPOSIT' || operation === 'PAYOUT' ? testNumbers[operation] : testNumbers.PAYOUT
  const completing = Object.entries(numbers ?? {}).find(([, outcome]) => outcome === 'COMPLETED')
  if (completing !== undefined) return completing[0]
  const { prefix = '', nationalNumberLengths: [length] = [9] } = countries.get(country) ?? {}
  const [national = ''] = nationalPrefixes ?? []
  return `${prefix}${national.padEnd(length, code.length % 2 === 0 ? '2' : '1')}`
}

/** Sender of a remittance of an amount. */
export function createSender (amount: string) {
  return {
    transactionDetails: {
      transactionReference: 'TX-1',
      originalAmount: amount,
      originalCurrency: 'EUR',
      buyFxRate: '1',
      senderFees: '0.10',
      purposeOfFunds: 'FAMILY_SUPPORT',
      sourceOfFunds: 'SALARY'
    },
    senderDetails: {
      firstName: 'Ada',
      lastName: 'Moyo',
      nationality: 'ZMB',
      phoneNumber: '4915112345678',
      address: {
        addressLine: 'Main Street 1',
        postalCode: '10115',
        city: 'Berlin',
        country: 'DEU'
      },
      identification: { type: 'PASSPORT', number: 'C01X00T47' },
      gender: 'FEMALE',
      dateOfBirth: '1990-01-31',
      placeOfBirth: 'ZMB',
      occupation: 'Engineer'
    }
  }
}
