import { answerWord, Type } from '../../lib/typebox.ts'
import { availabilities, defaultCompanyName } from '../../domain/account.ts'
import type { Operation } from '../../domain/kinds.ts'
import type { CurrencyOffering } from '../../domain/account-offering.ts'
import { operationStatuses } from '../../domain/account-offering.ts'
import { Amount, Country, Currency, PhoneNumber, ProviderCode, PublicKeys } from '../fields.ts'
import type { Toolkit } from '../toolkit.ts'

/** Toolkit of v1: lists where v2 has maps, and no filters. */

const ActiveConfiguration = Type.Object({
  merchantId: Type.String(),
  merchantName: Type.String(),
  countries: Type.Array(
    Type.Object({
      country: Country,
      correspondents: Type.Array(
        Type.Object({
          correspondent: ProviderCode,
          currency: Currency,
          ownerName: Type.String(),
          operationTypes: Type.Array(
            Type.Object({
              operationType: answerWord('DEPOSIT', 'PAYOUT', 'REFUND'),
              minTransactionLimit: Amount,
              maxTransactionLimit: Amount
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
    correspondents: Type.Array(
      Type.Object({
        correspondent: ProviderCode,
        operationTypes: Type.Array(
          Type.Object({
            operationType: answerWord('DEPOSIT', 'PAYOUT'),
            status: answerWord(...availabilities)
          })
        )
      })
    )
  })
)

/** v1 has no remittances, and no availability of refunds. */
const configured: readonly Operation[] = ['DEPOSIT', 'PAYOUT', 'REFUND']
const watched: readonly Operation[] = ['DEPOSIT', 'PAYOUT']
const anything = Type.Object({})

export const toolkit: Toolkit = {
  activeConfiguration: {
    path: '/active-conf',
    query: anything,
    filter: () => ({}),
    answer: ActiveConfiguration,
    write: ({ name, settings }, offers) => {
      const merchantName = settings.companyName ?? defaultCompanyName
      return {
        merchantId: name,
        merchantName,
        countries: offers
          .map(({ country, providers }) => ({
            country,
            correspondents: providers.flatMap(({ provider, currencies }) =>
              currencies
                .map((offer) => ({
                  correspondent: provider.code,
                  currency: offer.currency,
                  ownerName: merchantName,
                  operationTypes: writeLimits(offer)
                }))
                .filter(({ operationTypes }) => operationTypes.length > 0)
            )
          }))
          .filter(({ correspondents }) => correspondents.length > 0)
      }
    }
  },
  availability: {
    path: '/availability',
    open: true,
    query: anything,
    filter: () => ({ everything: true }),
    answer: Availability,
    write: (offers) =>
      offers.map(({ country, providers }) => ({
        country,
        correspondents: providers.map((offer) => {
          const statuses = operationStatuses(offer)
          return {
            correspondent: offer.provider.code,
            operationTypes: watched
              .filter((operation) => operation in statuses)
              .map((operation) => ({ operationType: operation, status: statuses[operation] }))
          }
        })
      }))
  },
  prediction: {
    path: '/v1/predict-correspondent',
    field: 'msisdn',
    request: Type.Object({ msisdn: PhoneNumber }, { description: '{ msisdn }' }),
    answer: Type.Object({
      country: Country,
      operator: Type.String(),
      correspondent: ProviderCode,
      msisdn: PhoneNumber
    }),
    write: ({ country, provider: { code: provider }, phoneNumber }) => ({
      country,
      operator: provider.split('_')[0],
      correspondent: provider,
      msisdn: phoneNumber
    })
  },
  publicKeys: { path: '/public-key/http', open: true, answer: PublicKeys }
}

function writeLimits ({ operations }: CurrencyOffering): object[] {
  return configured.flatMap((operation) => {
    const offer = operations[operation]
    return offer === undefined
      ? []
      : [
          {
            operationType: operation,
            minTransactionLimit: offer.limits.min,
            maxTransactionLimit: offer.limits.max
          }
        ]
  })
}
