import type { Payment } from './payment.ts'

/** Facts that the decision about a new payment needs. */
export interface FactsNeeded {
  deposit?: string
  /** Wallet, for its available amount. */
  wallet?: { country: string; currency: string }
  /** Payouts that may exist already. */
  payouts?: string[]
  /** Codes for the link of a customer, the best first. */
  codes?: string[]
  /** Identifiers for a deposit that the server creates itself, the best first. */
  depositIds?: string[]
}

/** What the ledger read for the decision. */
export interface Facts {
  deposit?: Payment
  refunds: Payment[]
  /** Available amount in hundredths, of the wallet or of the deposit's wallet. */
  available: number
  /** Payouts that exist already. */
  takenPayouts: string[]
  /** Number of uses of a counted scenario on the account. */
  used: (scenario: string) => number
  /** First of the codes that is free. */
  freeCode?: string
  /** First of the deposit identifiers that is free. */
  freeDepositId?: string
}
