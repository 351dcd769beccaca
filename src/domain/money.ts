import { toHundredths } from './amount.ts'
import type { Kind } from './kinds.ts'
import type { AnyDetails, Payment } from './payment.ts'
import type { Status } from './status.ts'

/**
 * Money moves between books, and every posting takes from one what it puts into another, so all
 * books together always hold nothing. `available` and `reserved` are the merchant's; `world` is
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

/** One half of a posting, as it stands in the books. */
export interface Entry extends WalletName {
  at: number
  book: Book
  /** In hundredths; negative where it was taken. */
  amount: number
}

/**
 * A change of what is available in a wallet, in hundredths. Only the opening balance belongs to no
 * payment.
 */
export interface WalletEntry {
  seq: number
  at: number
  amount: number
  payment?: Payment
}

/** What a payment's arrival in a state does to the merchant's wallet. */
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
