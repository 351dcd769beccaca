/** Another server that uses the same ledger. */
export interface OtherServer {
  number: number
  /** Address at which the others reach it; null until it listens. */
  url: string | null
  /** True while it stops: it is about to give its accounts back. */
  isLeaving: boolean
}

/** Where an account is; nowhere if a server takes it at this moment. */
export type AccountPlace = 'here' | 'nowhere' | 'deleted' | OtherServer

/** What a server sees of the others. */
export interface Look {
  /** Time of the database. */
  now: number
  /** Accounts that no server has and that have work. */
  orphans: number[]
  others: OtherServer[]
}

/** List of the servers that share a ledger. The ledger decides which of them are alive. */
export interface ServerList {
  /** Number of this server. After the loss of its connection it has another one. */
  readonly number: number
  /** Address of this server; null until it listens. */
  readonly url: string | null
  /** Secret that only the servers of the ledger know. */
  readonly secret: string
  /** Calls a function when the connection is lost, and with it all accounts. */
  listenForLoss: (listener: () => void) => void
  /** Tells the others the address of this server. */
  announce: (url: string) => Promise<void>
  /** Finds the server that has an account. An account that nobody has comes here. */
  findPlace: (account: number) => Promise<AccountPlace>
  look: () => Promise<Look>
  /** Gives an account back. */
  release: (account: number) => Promise<void>
  /** Tells the others that this server stops. */
  beginLeaving: () => Promise<void>
  /** Gives all accounts back and leaves the list. */
  leave: () => Promise<void>
  /** Tells whether a server stops in order, or has done so: it answers what it has taken. */
  hasLeft: (server: number) => Promise<boolean>
  /** Tells whether a server has used its connection to the ledger a moment ago. */
  isWorking: (server: number) => Promise<boolean>
  /** Ends a server that does not answer: it loses its connection to the ledger. */
  end: (server: number) => Promise<void>
}
