import { openReceiver } from '../../support/receiver.ts'
import { seededRandom, type Random } from '../../support/random.ts'
import { startServer, until, type Running } from '../../support/server-process.ts'
import { checkCallbacks, checkPayments, settle } from './checks.ts'
import type { CrashResult } from './rounds.ts'
import { acceptedIn, sendTraffic, type ClientLog } from './traffic.ts'

export interface ReplicaCrashOptions {
  rounds: number
  seed: number
  /** URL of an empty schema in PostgreSQL. */
  db: string
  /** Is told how each round went. */
  report?: (line: string) => void
}

/** Number of servers that share the ledger. */
const count = 3

/**
 * Rounds of traffic through three servers with one ledger. In each, one or two of them are ended by
 * SIGKILL or SIGTERM at a random time and started again, while the others go on. At the end the
 * ledger is compared with what the clients were answered, and with the callbacks.
 */
export async function runReplicaRounds (options: ReplicaCrashOptions): Promise<CrashResult> {
  const { rounds, seed, db, report = () => {} } = options
  const random = seededRandom(seed)
  const log: ClientLog = { payments: [], problems: [] }
  const receiver = await openReceiver()
  const args = ['--callback-url', receiver.url, '--journal', '0']
  const start = (): Promise<Running> => startServer({ db, args })
  const servers = await Promise.all(Array.from({ length: count }, start))
  const all = balance(servers, random)
  try {
    for (let round = 1; round <= rounds && log.problems.length === 0; round++) {
      const before = log.payments.length
      const traffic = sendTraffic(all, random, log)
      const ended: string[] = []
      for (let kills = random.integer(1, 2); kills > 0; kills--) {
        const enough = acceptedIn(log.payments) + random.integer(1, 100)
        await until(
          () => acceptedIn(log.payments),
          (accepted) => accepted >= enough,
          60_000
        )
        const n = random.integer(0, count - 1)
        const signal = random.pick<NodeJS.Signals>(['SIGKILL', 'SIGKILL', 'SIGTERM'])
        const { code } = await servers[n].stop(signal)
        if (signal === 'SIGTERM' && code !== 0) log.problems.push(`SIGTERM ended it with ${code}`)
        servers[n] = await start()
        ended.push(`${signal} of server ${n + 1}`)
      }
      await traffic.stop()
      await checkPayments(all, log, log.payments.slice(before))
      report(
        `round ${round}: ${ended.join(', ')}, ${log.payments.length - before} initiations, ` +
          `${log.problems.length} problems`
      )
    }
    if (log.problems.length === 0) {
      await settle(all, log)
      await checkCallbacks(all, log, receiver.arrivals)
      await checkPayments(all, log, log.payments)
    }
  } catch (error) {
    log.problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  } finally {
    await Promise.all(servers.map(({ stop }) => stop('SIGKILL')))
    await receiver.close()
  }
  return { accepted: acceptedIn(log.payments), problems: log.problems }
}

/** Returns a client that sends each request to any of the servers. */
function balance (servers: readonly Running[], random: Random): Running {
  return {
    ...servers[0],
    call: (...request) => random.pick(servers).call(...request),
    as: (token) => random.pick(servers).as(token)
  }
}
