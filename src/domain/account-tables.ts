import type { AccountState } from './account.ts'
import type { PaymentEvidence, PostedEntry, WalletEvidence } from './invariants.ts'

/** What the storage does to accounts as a whole; a part of the ports. */

/**
 * The parts of what the ledger holds of an account. Payments are there with their money, codes,
 * links and statements.
 */
export const ledgerParts = ['payments', 'callbacks', 'scenarios'] as const
export type LedgerPart = (typeof ledgerParts)[number]

/** Everything the ledger holds of an account. */
export interface AccountTables {
  /**
   * Forgets it, but for the parts that are kept, and stores what is left of the account itself; all
   * at once.
   */
  clearAccount: (
    account: number,
    keep: readonly LedgerPart[],
    state: () => AccountState
  ) => Promise<void>
  /** Forgets it and the account itself, if at that moment it still is to be. */
  removeAccount: (account: number, agreed: () => boolean) => Promise<boolean>
  /** How many payments each account has. */
  countPayments: () => Promise<Map<number, number>>
}

/** A whole account as it was. */
export interface Snapshot {
  name: string
  /** When it was taken, by the machine. */
  taken: number
  state: SnapshotState
  payments: number
}

/** What a snapshot keeps beside the rows of the ledger. */
export interface SnapshotState extends AccountState {
  /** What the account's clock showed. */
  now: number
  /** The seed of the server, and how many error identifiers the account has had. */
  seed: string
  errors: number
}

export interface Snapshots {
  /**
   * Copies everything the ledger holds of an account; one of the same name is replaced. False, if
   * there are `limit` others already.
   */
  takeSnapshot: (
    account: number,
    name: string,
    taken: number,
    state: () => SnapshotState,
    limit: number
  ) => Promise<boolean>
  listSnapshots: (account: number) => Promise<Snapshot[]>
  findSnapshot: (account: number, name: string) => Promise<Snapshot | undefined>
  /**
   * Puts the copy in the place of what the ledger holds, and stores what `assume` makes of its
   * state; all at once. False, if there is none.
   */
  restoreSnapshot: (
    account: number,
    name: string,
    assume: (state: SnapshotState) => AccountState
  ) => Promise<boolean>
  deleteSnapshot: (account: number, name: string) => Promise<boolean>
}

/** A payment as an auditor sees it; one that cannot be read says why. */
export interface AuditedPayment {
  /** Its kind and identifier. */
  what: string
  evidence?: PaymentEvidence
  unreadable?: string
}

/** What an auditor needs of the ledger: a page at a time, each one of a moment. */
export interface Audit {
  /**
   * The wallets of an account, the entries that belong to no payment, and the last entry there is,
   * all at one moment.
   */
  readWallets: (
    account: number
  ) => Promise<{ wallets: WalletEvidence[]; openings: PostedEntry[]; lastEntry: number }>
  /** The next payments, and after which to go on; nothing, if these were the last. */
  readPage: (
    account: number,
    after: string | undefined,
    limit: number
  ) => Promise<{ rows: AuditedPayment[]; next?: string }>
}
