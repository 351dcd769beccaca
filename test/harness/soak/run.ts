import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openReceiver } from '../../support/receiver.ts'
import { seededRandom } from '../../support/random.ts'
import { startServer, until } from '../../support/server-process.ts'
import { doSomething } from './load.ts'
import { takeSample, type Measure, type Sample } from './sampler.ts'

export interface SoakOptions {
  seconds: number
  /** How often it is looked at what the server takes. */
  everySeconds: number
  seed: number
  connections?: number
  report?: (sample: Sample) => void
}

const probe = fileURLToPath(new URL('heap-probe.js', import.meta.url))

/** Lets users come and go for a while, and says what the server took of the machine meanwhile. */
export async function runSoak (options: SoakOptions): Promise<Sample[]> {
  const { seconds, everySeconds, seed, connections = 8, report = () => {} } = options
  const folder = mkdtempSync(join(tmpdir(), 'momock-soak-'))
  const ledgerFolder = join(folder, 'ledger')
  mkdirSync(ledgerFolder)
  const receiver = await openReceiver()
  const server = await startServer({
    db: join(ledgerFolder, 'ledger.db'),
    args: ['--callback-url', receiver.url, '--log-level', 'error', '--journal', '200'],
    nodeArgs: ['--expose-gc', '--import', probe]
  })
  const random = seededRandom(seed)
  const state = { requests: 0, isOver: false }
  const workers = Array.from({ length: connections }, async () => {
    while (!state.isOver) state.requests += await doSomething(server, random)
  })
  const samples: Sample[] = []
  const start = Date.now()
  try {
    for (let counted = 0; samples.length < seconds / everySeconds;) {
      await new Promise((resolve) => setTimeout(resolve, everySeconds * 1000))
      receiver.arrivals.length = 0
      const length = server.log().length
      process.kill(server.pid, 'SIGUSR2')
      await until(
        () => server.log().length,
        (now) => now > length
      )
      const rate = (state.requests - counted) / everySeconds
      counted = state.requests
      const sample = takeSample(server, ledgerFolder, (Date.now() - start) / 1000, rate)
      samples.push(sample)
      report(sample)
    }
    state.isOver = true
    await Promise.all(workers)
    return samples
  } finally {
    state.isOver = true
    await Promise.allSettled(workers)
    await server.stop('SIGKILL')
    await receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How much of its own value a measure may rise over a run, and how much is noise in any case. */
const limits: Record<Exclude<Measure, 'requestsPerSecond'>, { share: number; atLeast: number }> = {
  heapMiB: { share: 0.1, atLeast: 6 },
  rssMiB: { share: 0.35, atLeast: 60 },
  handles: { share: 0.2, atLeast: 15 },
  filesMiB: { share: 0.5, atLeast: 25 }
}

/**
 * Compares the middle third of a run with the last: in the first, caches fill and code is compiled.
 * A line is flat if the median of the last third is hardly above that of the middle.
 */
export function risingLines (samples: readonly Sample[]): string[] {
  const third = Math.floor(samples.length / 3)
  if (third < 3) return [`${samples.length} samples are too few to compare`]
  const middle = samples.slice(third, 2 * third)
  const last = samples.slice(2 * third)
  return measures.flatMap((measure) => {
    const [before, after] = [middle, last].map((part) => median(part.map((one) => one[measure])))
    const { share, atLeast } = limits[measure]
    const allowed = before + Math.max(before * share, atLeast)
    if (after <= allowed) return []
    return [`${measure} rose from ${before.toFixed(1)} to ${after.toFixed(1)}`]
  })
}

const measures = ['heapMiB', 'rssMiB', 'handles', 'filesMiB'] as const

function median (values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}
