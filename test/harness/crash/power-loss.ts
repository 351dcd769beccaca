import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileLibrary, noCompiler } from '../../support/c-library.ts'
import { openReceiver } from '../../support/receiver.ts'
import { seededRandom } from '../../support/random.ts'
import { startServer, until, type Running } from '../../support/server-process.ts'
import { filesAfterPowerLoss, readRecord, type DiskEvent } from './disk.ts'
import { acceptedIn, isFinal, sendTraffic, tokens, type ClientLog } from './traffic.ts'

/**
 * Loss of power: the server runs with its writes recorded, and is then started on the disk as it
 * would be if the power had failed at some moment. Whatever it had said by then must be true.
 * This finds a ledger that is not synced before answers (`synchronous` OFF or NORMAL).
 */

export interface PowerLossOptions {
  /** How many moments are tried. */
  losses: number
  seed: number
  folder: string
  report?: (line: string) => void
  /** There is traffic until so many payments were accepted. */
  payments?: number
}

export interface PowerLossResult {
  /** How many payments had been answered or called back at the last moment. */
  told: number
  problems: string[]
  /** Why nothing was tried. */
  skipped?: string
}

const source = fileURLToPath(new URL('record-writes.c', import.meta.url))

export async function runPowerLosses (options: PowerLossOptions): Promise<PowerLossResult> {
  const { losses, seed, report = () => {}, payments = 200 } = options
  const folder = realpathSync(mkdtempSync(join(options.folder, 'power-')))
  const library = compileLibrary(source, folder, 'record-writes')
  if (library === undefined) return { told: 0, problems: [], skipped: noCompiler }
  const { events, log } = await recordRun(folder, library, seed, payments)
  const problems = [...log.problems]
  const sends = events.flatMap(({ what }, index) => (what === 'send' ? [index] : []))
  if (!events.some(({ what }) => what === 'write') || sends.length === 0) {
    return { told: 0, problems: ['nothing was recorded: the writes of the server were not seen'] }
  }
  const random = seededRandom(seed)
  let told = 0
  for (let n = 0; n < losses && problems.length === 0; n++) {
    const moment = n === 0 ? events.length : random.pick(sends) + 1
    const before = events.slice(0, moment)
    const files = filesAfterPowerLoss(before, n % 2 === 0 ? undefined : random)
    const disk = join(folder, `disk-${n}`)
    mkdirSync(disk)
    for (const [name, content] of files) writeFileSync(join(disk, basename(name)), content)
    const claims = claimsIn(before)
    told = Math.max(told, claims.size)
    problems.push(...(await compare(join(disk, 'ledger.db'), claims, log)))
    report(
      `power loss ${n + 1}: after ${moment} of ${events.length} events, ` +
        `${claims.size} payments told of, ${problems.length} problems`
    )
  }
  return { told, problems }
}

async function recordRun (
  folder: string,
  library: string,
  seed: number,
  payments: number
): Promise<{ events: DiskEvent[]; log: ClientLog }> {
  const ledgerFolder = join(folder, 'ledger')
  mkdirSync(ledgerFolder)
  const record = join(folder, 'record')
  const receiver = await openReceiver()
  const server = await startServer({
    db: join(ledgerFolder, 'ledger.db'),
    args: ['--callback-url', receiver.url, '--journal', '0'],
    env: {
      LD_PRELOAD: library,
      RECORD_WRITES_TO: record,
      RECORD_WRITES_UNDER: ledgerFolder
    }
  })
  const log: ClientLog = { payments: [], problems: [] }
  const traffic = sendTraffic(server, seededRandom(seed), log)
  await until(
    () => acceptedIn(log.payments),
    (count) => count >= payments,
    60_000
  )
  const ending = server.stop('SIGKILL')
  await traffic.stop()
  await ending
  await receiver.close()
  return { events: readRecord(record), log }
}

/** What was said of each payment, by its identifier: that it was accepted, or how it ended. */
function claimsIn (events: readonly DiskEvent[]): Map<string, string> {
  const claims = new Map<string, string>()
  for (const event of events) {
    if (event.what !== 'send') continue
    for (const [, id, status] of event.data.toString('latin1').matchAll(claim)) {
      if (isFinal(status) || !claims.has(id)) claims.set(id, status)
    }
  }
  return claims
}

const claim = new RegExp(
  '"\\w+Id":"([0-9a-f-]{36})",' + '"status":"(ACCEPTED|ENQUEUED|COMPLETED|FAILED|PAYOUT_FAILED)"',
  'g'
)

async function compare (
  db: string,
  claims: Map<string, string>,
  log: ClientLog
): Promise<string[]> {
  const own = new Set(log.payments.map(({ id }) => id))
  let server: Running | undefined
  try {
    server = await startServer({ db, args: ['--callback-url', 'http://127.0.0.1:9/nobody'] })
    const found = new Map<string, string>()
    for (const token of tokens) {
      for (const { id, status } of await server.as(token).payments()) found.set(id, status)
    }
    return [...claims].flatMap(([id, status]) => {
      const now = found.get(id)
      if (!own.has(id)) return []
      if (now === undefined) return [`${id} was ${status} before the power failed, and is lost`]
      return isFinal(status) && now !== status ? [`${id} was ${status}, and is ${now}`] : []
    })
  } catch (error) {
    return [`after a loss of power: ${String(error)}`]
  } finally {
    await server?.stop('SIGKILL')
  }
}
