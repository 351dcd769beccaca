import type { Generation } from './api-version.ts'
import type { Kind } from './kinds.ts'
import type { AnyPayment } from './payment.ts'
import type { Status } from './status.ts'

/** Port of the search of payments: what lists of payments are filtered by. */

/** Fields of a payment that can be searched. */
export interface ScannedPayment {
  seq: number
  kind: Kind
  generation: Generation
  created: number
  id: string
  provider?: string
  phoneNumber?: string
  /** Its reference and the values of its metadata, in lower case. */
  references: string[]
  status: Status
  /** Time of the account's clock at which the status changes without a write. */
  nextChange?: number
}

/** Page of payments. Payments that cannot be read are left out. */
export interface ScannedPage {
  payments: ScannedPayment[]
  /** Number of the last payment if there may be more. */
  next?: number
}

/** Reads payments for a search, in pages. */
export interface PaymentScan {
  /** Number of times that the rows of the whole account were replaced. */
  countReplacements: (account: number) => number
  /** Payments before a number, newest first. */
  scanBefore: (account: number, before: number, page: ScanPage) => Promise<ScannedPage>
  /** Payments after a number, oldest first. */
  scanAfter: (account: number, after: number, page: ScanPage) => Promise<ScannedPage>
  /** Payments with these numbers, in any order. */
  scanEach: (account: number, seqs: number[], now: number) => Promise<ScannedPayment[]>
  /** Whole payments with these numbers, in the given order. */
  readEach: (account: number, seqs: readonly number[]) => Promise<AnyPayment[]>
}

/** Size of a page, and the time of the account's clock that decides the status. */
export interface ScanPage {
  limit: number
  now: number
}
