import { answerWord, choice, closed, Type } from '../../lib/typebox.ts'
import { availabilities, defaultCompanyName } from '../../domain/account.ts'
import { authTypes, pinPrompts } from '../../domain/catalogue.ts'
import {
  codeInstructions,
  promptInstructions,
  type ChannelInstructions
} from '../../domain/prompt-instructions.ts'
import { operations } from '../../domain/kinds.ts'
import type {
  CurrencyOffering,
  OfferingFilter,
  OperationOffering,
  ProviderOffering
} from '../../domain/account-offering.ts'
import { operationStatuses } from '../../domain/account-offering.ts'
import { Amount, Country, Currency, PhoneNumber, ProviderCode, PublicKeys } from '../fields.ts'
import type { Pictures, Toolkit } from '../toolkit.ts'

/** Toolkit of v2. */

const Localised = Type.Object({ en: Type.String(), fr: Type.String() })
const Steps = Type.Array(Type.Object({ text: Type.String(), template: Type.String() }))

const Instructions = Type.Object({
  channels: Type.Array(
    Type.Object({
      type: Type.String(),
      displayName: Localised,
      quickLink: Type.Optional(Type.String()),
      variables: Type.Record(Type.String(), Type.String()),
      instructions: Type.Object({ en: Steps, fr: Steps })
    })
  )
})

const OperationType = Type.Object({
  minAmount: Amount,
  maxAmount: Amount,
  decimalsInAmount: choice(['NONE', 'TWO_PLACES']),
  status: answerWord(...availabilities),
  callbackUrl: Type.Optional(Type.String()),
  authType: Type.Optional(answerWord(...authTypes)),
  pinPrompt: Type.Optional(answerWord(...pinPrompts)),
  pinPromptRevivable: Type.Optional(Type.Boolean()),
  pinPromptInstructions: Type.Optional(Instructions),
  authTokenInstructions: Type.Optional(Instructions)
})

const ActiveConfiguration = Type.Object({
  companyName: Type.String(),
  signatureConfiguration: Type.Object({
    signedRequestsOnly: Type.Boolean(),
    signedCallbacks: Type.Boolean()
  }),
  countries: Type.Array(
    Type.Object({
      country: Country,
      displayName: Localised,
      prefix: Type.String(),
      flag: Type.String(),
      providers: Type.Array(
        Type.Object({
          provider: ProviderCode,
          displayName: Type.String(),
          logo: Type.String(),
          nameDisplayedToCustomer: Type.String(),
          currencies: Type.Array(
            Type.Object({
              currency: Currency,
              displayName: Type.String(),
              operationTypes: Type.Record(Type.String(), OperationType)
            })
          )
        })
      )
    })
  )
})

const Availability = Type.Array(
  Type.Object({
    country: Country,
    providers: Type.Array(
      Type.Object({
        provider: ProviderCode,
        operationTypes: Type.Record(Type.String(), answerWord(...availabilities))
      })
    )
  })
)

/**
 * Operation types that no provider has here. As filters they are valid and find nothing.
 * USSD_DEPOSIT is the older name of PUSH_DEPOSIT, which clients still send.
 */
const ussdDeposit = 'USSD_DEPOSIT'
const withoutProviders = ['PUSH_DEPOSIT', ussdDeposit, 'NAME_LOOKUP']
const filters = (types: readonly string[]) =>
  Type.Object({ country: Type.Optional(Country), operationType: Type.Optional(choice(types)) })
const filter = ({ country, operationType }: OfferingFilter): OfferingFilter => ({
  country,
  operationType
})

export const toolkit: Toolkit = {
  activeConfiguration: {
    path: '/active-conf',
    query: filters([...operations, ...withoutProviders]),
    filter,
    answer: ActiveConfiguration,
    write: ({ settings }, offers, pictures) => {
      const companyName = settings.companyName ?? defaultCompanyName
      return {
        companyName,
        signatureConfiguration: {
          signedRequestsOnly: settings.signedRequestsOnly ?? false,
          signedCallbacks: settings.signedCallbacks ?? true
        },
        countries: offers.map(({ country, about, providers }) => ({
          country,
          displayName: about.displayName,
          prefix: about.prefix,
          flag: pictures.flag(country),
          providers: providers.map((offer) => writeProvider(offer, companyName, pictures))
        }))
      }
    }
  },
  availability: {
    path: '/availability',
    query: filters([...operations, ussdDeposit]),
    filter,
    answer: Availability,
    write: (offers) =>
      offers.map(({ country, providers }) => ({
        country,
        providers: providers.map((offer) => ({
          provider: offer.provider.code,
          operationTypes: operationStatuses(offer)
        }))
      }))
  },
  prediction: {
    path: '/predict-provider',
    field: 'phoneNumber',
    request: Type.Object(
      { phoneNumber: PhoneNumber },
      { ...closed, description: '{ phoneNumber }' }
    ),
    answer: Type.Object({ country: Country, provider: ProviderCode, phoneNumber: PhoneNumber }),
    write: ({ country, provider, phoneNumber }) => ({
      country,
      provider: provider.code,
      phoneNumber
    })
  },
  publicKeys: { path: '/public-key/http', answer: PublicKeys }
}

function writeProvider (offer: ProviderOffering, companyName: string, pictures: Pictures): object {
  const { provider, currencies } = offer
  return {
    provider: provider.code,
    displayName: provider.displayName,
    logo: pictures.logo(provider.code),
    nameDisplayedToCustomer: companyName,
    currencies: currencies.map((currency) => writeCurrency(currency, offer))
  }
}

function writeCurrency (offer: CurrencyOffering, provider: ProviderOffering): object {
  const { currency, displayName, operations } = offer
  return {
    currency,
    displayName,
    operationTypes: Object.fromEntries(
      Object.entries(operations).map(([name, operation]) => [
        name,
        {
          minAmount: operation.limits.min,
          maxAmount: operation.limits.max,
          decimalsInAmount: operation.limits.decimals === 0 ? 'NONE' : 'TWO_PLACES',
          status: operation.status,
          callbackUrl: operation.callbackUrl,
          ...(name === 'DEPOSIT' && writeAuthorisation(operation, currency, provider))
        }
      ])
    )
  }
}

/**
 * Way in which the customer authorises a deposit. Only a PIN prompt that can be opened by hand has
 * instructions.
 */
function writeAuthorisation (
  { limits }: OperationOffering,
  currency: string,
  { provider }: ProviderOffering
): object {
  const { authType, displayName } = provider
  const { channels = [], pinPrompt = 'AUTOMATIC', pinPromptRevivable = false } = limits
  if (authType === 'PREAUTH') {
    return {
      authType,
      authTokenInstructions: writeInstructions(codeInstructions(channels, displayName))
    }
  }
  if (authType === 'REDIRECT_AUTH') return { authType }
  const telling = pinPrompt === 'MANUAL' || pinPromptRevivable
  return {
    authType,
    pinPrompt,
    pinPromptRevivable,
    ...(telling && {
      pinPromptInstructions: writeInstructions(promptInstructions(channels, currency))
    })
  }
}

function writeInstructions (channels: ChannelInstructions[]): object {
  return { channels }
}
