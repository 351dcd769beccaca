/** Another server that uses the same ledger. */
export interface OtherServer {
  number: number
  /** Address of its listener for other servers. */
  url: string
}

/** List of the servers that share a ledger. The time of the database decides who is in it. */
export interface ServerList {
  /** Number of this server. */
  readonly number: number
  /** Secret that only the servers of the ledger know. */
  readonly secret: string
  /** Time between two renewals. */
  readonly renewalMs: number
  /**
   * Adds this server. Throws a LedgerUnusableError if a server of another version is in the list.
   */
  join: (url: string) => Promise<void>
  /**
   * Keeps this server in the list, and removes those that were not renewed for too long. Returns
   * whether this server was one of them: then it is in the list again.
   */
  renew: () => Promise<boolean>
  /** Returns the other servers, in the order of their starts. */
  listOthers: () => Promise<OtherServer[]>
  /** Removes this server. */
  leave: () => Promise<void>
}
