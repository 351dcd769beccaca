import { toHundredths } from './amount.ts'
import type { Kind } from './kinds.ts'
import type { AnyDetails, Payment } from './payment.ts'
import type { Status } from './status.ts'

/**
 * Money moves between books. Every posting takes from one book what it puts into another, so the
 * sum of all books is always zero. `available` and `reserved` belong to the merchant; `world` is
 * everybody else.
 */

export type Book = 'available' | 'reserved' | 'world'

export interface Posting {
  country: string
  currency: string
  from: Book
  to: Book
  /** In hundredths. */
  amount: number
}

/** Every account has one wallet per country and currency. */
export interface WalletName {
  country: string
  currency: string
}

export function isSameWallet (one: WalletName, other: WalletName): boolean {
  return one.country === other.country && one.currency === other.currency
}

/** A wallet and its money, in hundredths. */
export interface WalletBalance extends WalletName {
  available: number
  reserved: number
}

/** Money with which a wallet was opened, in hundredths. */
export interface OpeningBalance extends WalletName {
  opening: number
}

/** One half of a posting. */
export interface Entry extends WalletName {
  at: number
  book: Book
  /** In hundredths; negative where it was taken. */
  amount: number
}

/**
 * A change of the available money of a wallet, in hundredths. The opening balance, which is the
 * first entry, and changes by hand belong to no payment.
 */
export interface WalletEntry {
  seq: number
  at: number
  amount: number
  payment?: Payment
}

/** Effect of a state of a payment on the merchant's wallet. */
export function postingsFor (kind: Kind, details: AnyDetails, to: Status): Posting[] {
  const balances = route(kind, to)
  if (balances === undefined || !('amount' in details)) return []
  return [
    {
      country: details.country,
      currency: details.currency,
      ...balances,
      amount: toHundredths(details.amount)
    }
  ]
}

function route (kind: Kind, to: Status): { from: Book; to: Book } | undefined {
  if (kind.money === 'none') return undefined
  if (kind.money === 'in') {
    return to === 'COMPLETED' ? { from: 'world', to: 'available' } : undefined
  }
  switch (to) {
    case 'ACCEPTED':
      return { from: 'available', to: 'reserved' }
    case 'COMPLETED':
      return { from: 'reserved', to: 'world' }
    case 'FAILED':
      return { from: 'reserved', to: 'available' }
    default:
      return undefined
  }
}
