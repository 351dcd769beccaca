import { join } from 'node:path'
import { openReceiver } from '../../support/receiver.ts'
import { seededRandom } from '../../support/random.ts'
import { startServer, until } from '../../support/server-process.ts'
import { checkCallbacks, checkFile, checkPayments, settle } from './checks.ts'
import { acceptedIn, sendTraffic, type ClientLog } from './traffic.ts'

export interface CrashOptions {
  rounds: number
  seed: number
  /** Where the ledger is. */
  folder: string
  /** Is told how each round went. */
  report?: (line: string) => void
}

export interface CrashResult {
  accepted: number
  problems: string[]
}

/** A process that has been told to end has this long to do so. */
const longestEndMs = 15_000

/**
 * Rounds of traffic, each ended by SIGKILL or SIGTERM at a random time, on one ledger.
 * After each start the ledger is compared with what the client was answered.
 */
export async function runCrashRounds (options: CrashOptions): Promise<CrashResult> {
  const { rounds, seed, folder, report = () => {} } = options
  const random = seededRandom(seed)
  const log: ClientLog = { payments: [], problems: [] }
  const receiver = await openReceiver()
  const refused = new Set<string>()
  receiver.behave(({ text }) => {
    if (refused.has(text) || !random.chance(0.1)) return 'accept'
    // Once each: the second retry comes seconds later, and the run waits for it.
    refused.add(text)
    return 'refuse'
  })
  const db = join(folder, 'ledger.db')
  const start = () =>
    startServer({
      db,
      args: ['--callback-url', receiver.url, '--log-level', 'info', '--journal', '0']
    })
  let server = await start()
  try {
    for (let round = 1; round <= rounds; round++) {
      const before = log.payments.length
      const signal = random.pick<NodeJS.Signals>(['SIGKILL', 'SIGKILL', 'SIGTERM'])
      const traffic = sendTraffic(server, random, log)
      const [enough, moreMs] = [random.integer(1, 200), random.integer(0, 100)]
      const count = (): number => acceptedIn(log.payments.slice(before))
      await until(count, (accepted) => accepted >= enough, 60_000)
      await new Promise((resolve) => setTimeout(resolve, moreMs))
      const ending = server.stop(signal)
      await traffic.stop()
      const ended = await Promise.race([ending, within(longestEndMs)])
      if (ended === undefined) {
        log.problems.push(`it did not end ${longestEndMs} ms after ${signal}`)
      }
      if (signal === 'SIGTERM' && ended?.code !== 0) {
        log.problems.push(`SIGTERM ended it with ${ended?.code ?? ended?.signal}`)
      }
      checkFile(db, log.problems)
      server = await start()
      const older = log.payments.slice(0, before).filter(() => random.chance(200 / before))
      await checkPayments(server, log, [...older, ...log.payments.slice(before)])
      report(
        `round ${round}: ${signal} ${moreMs} ms after ${enough} were accepted, ` +
          `${log.payments.length - before} initiations, ${log.problems.length} problems`
      )
      if (log.problems.length > 0) break
    }
    if (log.problems.length === 0) {
      await settle(server, log)
      await checkCallbacks(server, log, receiver.arrivals)
      await checkPayments(server, log, log.payments)
    }
  } catch (error) {
    // A server that does not start again, or a client that fails, is a problem like any other.
    log.problems.push(String(error))
  } finally {
    await server.stop('SIGKILL')
    await receiver.close()
  }
  return { accepted: acceptedIn(log.payments), problems: log.problems }
}

async function within (ms: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref())
}
