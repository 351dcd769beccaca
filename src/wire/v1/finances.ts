import { Type } from '../../lib/typebox.ts'
import { fromHundredths } from '../../domain/amount.ts'
import { Amount, Country, Currency } from '../fields.ts'
import type { FinanceWire } from '../finances.ts'

/** Wallet balances in v1. It has no statements. */

export const finances: FinanceWire = {
  // A wallet belongs to a country, not to one of its operators; hence the empty name.
  balances: {
    paths: [
      { path: '/v1/wallet-balances' },
      { path: '/v1/wallet-balances/:country', params: Type.Object({ country: Country }) }
    ],
    answer: Type.Object({
      balances: Type.Array(
        Type.Object({ country: Country, balance: Amount, currency: Currency, mno: Type.String() })
      )
    }),
    write: (wallets) => ({
      balances: wallets.map(({ country, currency, available }) => ({
        country,
        balance: fromHundredths(available),
        currency,
        mno: ''
      }))
    })
  }
}
