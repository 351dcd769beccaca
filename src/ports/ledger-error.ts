/** Error for a ledger that cannot be used. The message gives the problem and the fix. */
export class LedgerUnusableError extends Error {
  override name = 'LedgerUnusable'
  readonly problem: string
  readonly fix: string | undefined
  /** True if another process uses the ledger. */
  readonly inUse: boolean
  /** True if the ledger may be usable again in a moment. */
  readonly isTemporary: boolean
  /** True if the work is not tried again: it may be stored, or another try would take as long. */
  readonly endsTries: boolean
  /** True if the connection to the ledger is lost. */
  readonly isLost: boolean

  constructor (
    problem: string,
    fix?: string,
    { inUse = false, isTemporary = false, endsTries = false, isLost = false } = {}
  ) {
    super(fix === undefined ? problem : `${problem}; ${fix}`)
    this.problem = problem
    this.fix = fix
    this.inUse = inUse
    this.isTemporary = isTemporary
    this.endsTries = endsTries
    this.isLost = isLost
  }
}

/** Error of work on an account that another server has now. That server does the work. */
export class AccountMovedError extends LedgerUnusableError {
  override name = 'AccountMoved'

  constructor () {
    super('another server has this account now', undefined, { isTemporary: true })
  }
}

/** Returns whether an error means that the ledger cannot be reached for a moment. */
export function isUnavailable (error: unknown): boolean {
  return error instanceof LedgerUnusableError && error.isTemporary
}

/** Message for a client. The log has the reason. */
export const unavailableMessage = 'the ledger cannot be reached; send the request again'

/** Seconds after which a client can try again. */
export const retryAfter = '1'
