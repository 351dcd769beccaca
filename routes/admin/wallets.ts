import type { Static } from '@sinclair/typebox'
import {
  TopUpRequest,
  WalletList,
  WalletPath,
  WalletQuery,
  WalletRequest,
  WalletView
} from '../../src/admin-api/wallets.ts'
import type { Account } from '../../src/domain/account.ts'
import { fromHundredths, toHundredths } from '../../src/domain/amount.ts'
import { isSameWallet, type WalletBalance, type WalletName } from '../../src/domain/money.ts'
import type { WalletControl } from '../../src/services/wallet-control.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError, suggestName } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Calls about the wallets of an account: list them, set the money of one, add money to one. */
export function walletRoutes (app: TypedApp, { walletControl }: AdminParts): void {
  app.get(
    '/wallets',
    {
      config: adminCall('listWallets', 'List the wallets of this account, used or not'),
      schema: { querystring: WalletQuery, response: { 200: WalletList } }
    },
    async ({ account, query: { country } }) => {
      const wallets = await walletControl.listWallets(account, country)
      return { wallets: wallets.map((wallet) => showWallet(wallet, wallet.used)) }
    }
  )

  app.put(
    '/wallets/:country/:currency',
    {
      config: {
        ...adminCall(
          'setWallet',
          'Set the available money of a wallet',
          'An entry in the ledger explains the difference, and statements show it. Money that ' +
            'is reserved for payments stays reserved.'
        ),
        errors: [404]
      },
      schema: { params: WalletPath, body: WalletRequest, response: { 200: WalletView } }
    },
    async ({ account, params, body }) => {
      refuseUnknownWallet(walletControl, account, params)
      const available = toHundredths(body.available)
      return showWallet(await walletControl.setAvailable(account, params, available))
    }
  )

  app.post(
    '/wallets/:country/:currency/top-up',
    {
      config: { ...adminCall('topUpWallet', 'Add money to a wallet'), errors: [404] },
      schema: { params: WalletPath, body: TopUpRequest, response: { 200: WalletView } }
    },
    async ({ account, params, body }) => {
      refuseUnknownWallet(walletControl, account, params)
      return showWallet(await walletControl.topUp(account, params, toHundredths(body.amount)))
    }
  )
}

function showWallet (
  { country, currency, available, reserved }: WalletBalance,
  used = true
): Static<typeof WalletView> {
  return {
    country,
    currency,
    available: fromHundredths(available),
    reserved: fromHundredths(reserved),
    used
  }
}

/** Refuses a wallet that the account does not have, and names those it has. */
function refuseUnknownWallet (
  walletControl: WalletControl,
  account: Account,
  wanted: WalletName
): void {
  const wallets = walletControl.listNames(account)
  if (wallets.some((wallet) => isSameWallet(wallet, wanted))) return
  const currencies = wallets.filter(({ country }) => country === wanted.country)
  const countries = [...new Set(wallets.map(({ country }) => country))]
  throw new AdminError(
    'NOT_FOUND',
    `this account has no ${wanted.currency} wallet in ${wanted.country}`,
    currencies.length > 0
      ? `its wallets in ${wanted.country}: ` + currencies.map(({ currency }) => currency).join(', ')
      : suggestName(wanted.country, countries, 'GET /__admin/wallets lists its wallets')
  )
}
