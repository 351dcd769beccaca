import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { compareRuns, formatChanges, readRun } from './compare.ts'
import { livesRows, measureLives } from './lives.ts'
import { connections } from './load.ts'
import { longRows } from './long-rows.ts'
import { renderPage } from './page.ts'
import { pinSelf } from './processes.ts'
import { formatReport } from './report.ts'
import { measureRequests, requestRows } from './requests.ts'
import { judge, type Measurement, type Result } from './results.ts'
import type { Pace } from './rounds.ts'
import { isRowName, rowNames, rowPlans, type RowName } from './rows.ts'
import { describeSettings } from './settings.ts'
import { measureStarts, startRows } from './starts.ts'
import { measureTls, tlsRows } from './tls.ts'

/**
 * `npm run bench`: momock beside a bare Fastify app, in turns, so that whatever else the machine
 * does hits both. Only the ratios mean something from one machine to the next. With `--quick` it is
 * over in seconds and means little.
 */

const usage = `npm run bench                     all rows, in less than five minutes
npm run bench -- NAME…            some rows: ${rowNames.join(', ')}
npm run bench -- NAME [SIZE]      a long row:
${Object.entries(longRows)
  .map(([name, { summary, size }]) => `  ${name.padEnd(16)} ${summary} (SIZE: ${size.of})`)
  .join('\n')}
--compare FILE   compares with the JSON file of an earlier run; exit code 1 if a row is slower
                 by more than a tenth
--out FOLDER     where bench.json and bench.html are written; the current folder
--quick          over in seconds without the rows of a build, and means little
`

const usualPace: Pace = {
  seconds: 1,
  rounds: 7,
  warmUps: [1000, 10_000, 10_000],
  starts: 7,
  // Node.js goes on compiling during the first 40,000 lives.
  livesWarmUp: 20,
  livesSeconds: 6,
  livesRounds: 3
}
const quickPace: Pace = {
  seconds: 0.1,
  rounds: 1,
  warmUps: [100],
  starts: 1,
  livesWarmUp: 1,
  livesSeconds: 1,
  livesRounds: 1
}

/** Parts of the run: rows that share servers, and the time after which no round begins. */
const parts: ReadonlyArray<{
  rows: readonly RowName[]
  budgetMs: number
  measure: (
    names: readonly RowName[],
    folder: string,
    pace: Pace,
    budgetMs: number
  ) => Promise<Measurement[]>
}> = [
  { rows: requestRows, budgetMs: 100_000, measure: measureRequests },
  { rows: livesRows, budgetMs: 65_000, measure: measureLives },
  { rows: tlsRows, budgetMs: 15_000, measure: measureTls },
  { rows: startRows, budgetMs: 30_000, measure: measureStarts }
]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    compare: { type: 'string' },
    out: { type: 'string', default: '.' },
    help: { type: 'boolean', default: false }
  }
})
const folder = mkdtempSync(join(tmpdir(), 'momock-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
process.exitCode = await run()

/** Runs what the arguments ask for. Returns the exit code. */
async function run (): Promise<number> {
  const pace = values.quick ? quickPace : usualPace
  const [first = '', size] = positionals
  const unknown = positionals.filter((name) => !isRowName(name))
  const longRow = Object.hasOwn(longRows, first) ? longRows[first] : undefined
  if (values.help || (longRow === undefined && unknown.length > 0)) {
    const problem = unknown.length > 0 ? `there is no row '${unknown[0]}'\n\n` : ''
    process.stdout.write(problem + usage)
    return values.help ? 0 : 2
  }
  // Read first, so that minutes of measuring are not lost.
  const before = values.compare === undefined ? undefined : readRun(values.compare)
  const isPinned = !values.quick && longRow?.isUnpinned !== true && pinSelf()
  if (longRow !== undefined) {
    return (await longRow.run(Number(size ?? longRow.size.usual), folder, pace)) ? 0 : 1
  }
  const all = values.quick ? rowNames.filter((name) => !name.endsWith('-dist')) : rowNames
  const names = positionals.length > 0 ? positionals.filter(isRowName) : all
  const settings = describeSettings({ isPinned, connections, ...pace })
  process.stdout.write(`${formatSettings(settings)}\n`)
  const results = await measure(names, pace)
  settings.loadAverageAtTheEnd = describeSettings({}).loadAverage
  process.stdout.write(formatReport(results))
  mkdirSync(values.out, { recursive: true })
  const json = JSON.stringify({ settings, results }, undefined, 2)
  writeFileSync(join(values.out, 'bench.json'), `${json}\n`)
  writeFileSync(join(values.out, 'bench.html'), renderPage(results, settings))
  process.stdout.write('wrote bench.json and bench.html\n')
  if (before === undefined) return 0
  const changes = compareRuns(before.results, results)
  process.stdout.write(`\n${formatChanges(changes, values.compare ?? '')}`)
  return changes.some(({ isSlower }) => isSlower) ? 1 : 0
}

async function measure (names: readonly RowName[], pace: Pace): Promise<Result[]> {
  const results: Result[] = []
  for (const { rows, budgetMs, measure } of parts) {
    const chosen = rows.filter((name) => names.includes(name))
    if (chosen.length === 0) continue
    process.stderr.write(`${chosen.join(', ')} …\n`)
    results.push(...(await measure(chosen, folder, pace, budgetMs)).map(judge))
  }
  const order = Object.keys(rowPlans)
  return results.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
}

function formatSettings (settings: Record<string, unknown>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ')
}
