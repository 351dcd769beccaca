import { setTimeout } from 'node:timers/promises'
import { LedgerUnusableError } from '../../src/domain/ledger-error.ts'
import type { Connection, ReportWait } from '../connection.ts'
import { orElsewhere } from './faults.ts'
import { leaseSeconds } from './lease-statements.ts'

/** Time between two looks at servers that may be dead. They renew their leases every 3 s. */
const lookMs = 1000

/** Server that shares a ledger, and did not count as dead when it was last looked at. */
interface LiveServer {
  number: number
  /** End of its lease, in milliseconds since 1970. It grows with each renewal. */
  until: number
  /** Address for the other servers; null if it has just started, or is stopping. */
  url: string | null
  /** Seconds since its last renewal. */
  age: number
}

/** Error of a ledger that servers share, for somebody who must use it alone. */
export class SharedLedgerError extends LedgerUnusableError {
  readonly servers: readonly LiveServer[]

  constructor (place: string, servers: readonly LiveServer[]) {
    const list = servers.map(({ number, url, age }) => {
      const address = url === null ? '' : ` at ${url}`
      return `server ${number}${address}, last seen ${age} s ago`
    })
    super(
      `the ledger in ${place} is in use by another momock (${list.join('; ')})`,
      `stop ${servers.length === 1 ? 'it' : 'them'}, ${orElsewhere}`,
      { inUse: true }
    )
    this.servers = servers
  }

  /** Longest time in seconds until the servers count as dead, if they do not run any more. */
  get waitSeconds (): number {
    return Math.max(...this.servers.map(({ age }) => leaseSeconds - age))
  }
}

/** Throws a SharedLedgerError if servers share the ledger. */
export async function refuseLiveServers (
  connection: Connection,
  place: string
): Promise<void> {
  const servers = await connection
    .prepare<[], LiveServer>(
      `SELECT owner AS number, (extract(epoch FROM until) * 1000)::bigint AS until, url,
        round(${leaseSeconds} - extract(epoch FROM until - now()))::bigint AS age
      FROM server_leases LEFT JOIN servers ON number = owner
      WHERE until > now() ORDER BY owner`
    )
    .all()
  if (servers.length > 0) throw new SharedLedgerError(place, servers)
}

/**
 * Opens a ledger that servers share. If they do not renew their leases, they were killed: it waits
 * until they count as dead. Throws a SharedLedgerError as soon as one of them is seen alive.
 */
export async function openWhenUnused<T> (
  open: () => Promise<T>,
  reportWait: ReportWait = () => {}
): Promise<T> {
  let known: Map<number, number> | undefined
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof SharedLedgerError)) throw error
      const { servers, problem, waitSeconds } = error
      if (known === undefined) {
        known = new Map(servers.map(({ number, until }) => [number, until]))
        reportWait(`${problem}; if it was killed, it counts as dead in ${waitSeconds} s: waiting`)
      } else if (servers.some(({ number, until }) => known?.get(number) !== until)) throw error
    }
    await setTimeout(lookMs)
  }
}
