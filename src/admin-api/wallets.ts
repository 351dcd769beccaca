import type { Static } from '@sinclair/typebox'
import { closed, Type } from '../lib/typebox.ts'
import { Balance } from '../domain/account-settings.ts'
import { Country, Currency } from '../wire/fields.ts'

/** Requests and answers of the calls about wallets. */

export const WalletPath = Type.Object({ country: Country, currency: Currency })

export const WalletQuery = Type.Object(
  {
    country: Type.Optional(Type.String({ ...Country, description: 'only wallets of this country' }))
  },
  closed
)

export const WalletRequest = Type.Object(
  { available: Balance },
  { ...closed, description: '{ available }', examples: [{ available: '500.00' }] }
)

export const TopUpRequest = Type.Object(
  { amount: Balance },
  { ...closed, description: '{ amount }', examples: [{ amount: '100.00' }] }
)

export const WalletView = Type.Object(
  {
    country: Type.String({ description: 'the country of the wallet' }),
    currency: Type.String({ description: 'the currency of the wallet' }),
    available: Type.String({ description: 'the money that can be spent' }),
    reserved: Type.String({ description: 'held for payments that are not final' }),
    used: Type.Boolean({
      description: 'false: no payment and no call has changed it, so it has its opening balance'
    })
  },
  closed
)

/** Wallet of the account and its money. */
export interface Wallet extends Static<typeof WalletView> {}

export const WalletList = Type.Object({ wallets: Type.Array(WalletView) }, closed)
