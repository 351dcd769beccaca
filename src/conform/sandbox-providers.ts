import { shippedCatalogue } from '../domain/catalogue.ts'

/** Provider with documented sandbox numbers. */
export interface SandboxProvider {
  provider: string
  country: string
  currency: string
  /** Whether its amounts have no decimals. */
  isWhole: boolean
  /** Smallest amount that can be paid in and out. */
  least: number
  /** Amount above the maximum of a deposit. */
  tooMuch: number
  completes: string
  fails: string
}

/** Lists the providers whose deposits and payouts need no action of a customer. */
export function listSandboxProviders (): SandboxProvider[] {
  return Object.entries(shippedCatalogue).flatMap(([country, { providers }]) =>
    Object.entries(providers).flatMap(
      ([
        provider,
        {
          authType,
          currencies,
          testNumbers: { DEPOSIT = {}, PAYOUT = {} }
        }
      ]) => {
        const [[currency, { operationTypes }]] = Object.entries(currencies)
        const completes = Object.keys(DEPOSIT).find(
          (number) => DEPOSIT[number] === 'COMPLETED' && PAYOUT[number] === 'COMPLETED'
        )
        const fails = Object.keys(DEPOSIT).find(
          (number) => !['COMPLETED', 'PENDING'].includes(DEPOSIT[number])
        )
        const limits = [operationTypes.DEPOSIT, operationTypes.PAYOUT, operationTypes.REFUND]
        if (authType !== 'PROVIDER_AUTH' || completes === undefined || fails === undefined) {
          return []
        }
        const least = Math.ceil(Math.max(...limits.map((limit) => Number(limit?.min ?? 1)), 1))
        return [
          {
            provider,
            country,
            currency,
            isWhole: operationTypes.DEPOSIT?.decimals === 0,
            least,
            tooMuch: Number(operationTypes.DEPOSIT?.max ?? 1) * 10,
            completes,
            fails
          }
        ]
      }
    )
  )
}
