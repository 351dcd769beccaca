import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureCallbacks } from './callbacks.ts'
import { connections, getDeposits, postDeposits, runDeposits, type Round } from './load.ts'
import { bareServer, insideProcess, momockServer, pinSelf, serve } from './processes.ts'
import { compareRates, compareTimes, report, type Row } from './report.ts'
import { timeInside, timeStart } from './starts.ts'
import { measureTls } from './tls.ts'

/**
 * `npm run bench`: momock beside a bare Fastify app, in turns, so that whatever else the machine
 * does hits both. Only the ratios mean something from one machine to the next. With `--quick` it is
 * over in seconds and means little.
 */

const quick = process.argv.includes('--quick')
const seconds = quick ? 0.2 : 1.5
const rounds = quick ? 1 : 7
const starts = quick ? 1 : 9
const warmUps = quick ? [200] : [2000, 10_000]
/**
 * On a machine that is busy with other things no round begins after so many milliseconds, so that
 * all is over in two minutes.
 */
const lastPost = 65_000
const lastGet = 90_000
/** Longest time for the rounds with TLS. */
const tlsMs = 15_000

const folder = mkdtempSync(join(tmpdir(), 'momock-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

// Less important figures run with low priority.
const pinned = !quick && pinSelf()
process.stdout.write(
  `${connections} connections, ${rounds} round${quick ? '' : 's'} of about ${seconds} s; ` +
    `${pinned ? 'servers and load on a core each' : 'not pinned to cores'}\n\n`
)
process.stdout.write(
  report([
    ...(await compareLoads()),
    // Each makes a ledger of its own.
    await compareStarts(
      'start to first answer',
      () => timeStart(bareServer),
      (i) => timeStart((port) => momockServer(port, join(folder, `start-${i}.db`), 'running'))
    ),
    await compareStarts(
      'createMomock() to listening',
      () => timeInside(insideProcess('bare')),
      () => timeInside(insideProcess('momock'))
    )
  ])
)
process.stdout.write(
  `\n${await measureCallbacks(join(folder, 'callbacks.db'), quick ? 200 : 5000, quick ? 1 : 5)}`
)

process.stdout.write(await measureTls(folder, (loads) => inTurns(loads, performance.now() + tlsMs)))

async function compareLoads (): Promise<Row[]> {
  const bare = await serve(bareServer(0))
  const frozen = await serve(momockServer(0, join(folder, 'frozen.db'), 'frozen'))
  const running = await serve(momockServer(0, join(folder, 'running.db'), 'running'))
  const known: string[] = []

  const posts = await inTurns(
    [
      (count) => postDeposits(bare, count),
      (count) => postDeposits(frozen, count),
      async (count) => {
        const { ids, ...round } = await runDeposits(running, count)
        known.push(...ids)
        return round
      }
    ],
    lastPost
  )
  const gets = await inTurns(
    [(count) => getDeposits(bare, known, count), (count) => getDeposits(running, known, count)],
    lastGet
  )
  await Promise.all([bare.stop(), frozen.stop(), running.stop()])
  return [
    compareRates('POST /v2/deposits, durable', posts[1], posts[0], 0.7, 0.9),
    compareRates('POST /v2/deposits, run to its end', posts[2], posts[0], 0.4, 0.55),
    compareRates('GET /v2/deposits/{id}', gets[1], gets[0], 0.8, 0.9)
  ]
}

/**
 * Warms every load up, then runs them one after the other, round by round. The last warm-up says
 * how many requests fill the time.
 */
async function inTurns (
  loads: Array<(count: number) => Promise<Round>>,
  latest: number
): Promise<Round[][]> {
  const counts: number[] = []
  for (const load of loads) {
    let rate = 0
    for (const count of warmUps) rate = (await load(count)).rate
    counts.push(Math.max(connections, Math.round(rate * seconds)))
  }
  const results: Round[][] = loads.map(() => [])
  for (let round = 0; round < rounds && (round === 0 || performance.now() < latest); round++) {
    for (const [i, load] of loads.entries()) results[i].push(await load(counts[i]))
  }
  return results
}

/** Times that are taken in turns. The first pair fills the caches and does not count. */
async function compareStarts (
  name: string,
  timeBare: () => Promise<number>,
  timeMomock: (i: number) => Promise<number>
): Promise<Row> {
  const momock: number[] = []
  const bare: number[] = []
  for (let i = 0; i <= starts; i++) {
    bare.push(await timeBare())
    momock.push(await timeMomock(i))
  }
  return compareTimes(name, momock.slice(1), bare.slice(1), 1.5)
}
