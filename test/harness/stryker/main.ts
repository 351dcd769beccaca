import { globSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Stryker } from '@stryker-mutator/core'
import { anySeed, seededRandom } from '../../support/random.ts'

/**
 * `npm run test:stryker -- [--windows N] [--seed S] [--jobs N] [FILE[:FIRST-LAST]…]`: StrykerJS
 * breaks the payments, the wire formats and the simulator, and runs the tests that reach the broken
 * line. All of the about 10,000 mutants take days on two processors, so a run takes those of some
 * windows of lines, which follow from a seed, or those of the files that are named. The report is
 * mutants.html. Fails if fewer than 85 % are killed.
 */

/** What is broken: code whose every line decides about a payment. */
const mutated = ['src/domain/*.ts', 'src/scenarios/*.ts', 'src/wire/**/*.ts', 'simulator/*.ts']
const windowLines = 10
const leastKilledPercent = 85

/** Test files, with those first that kill most: the first failed test ends a mutant's run. */
const testFiles = [
  'test/api/{deposits,payments,payment-parts,decisions,amount-limits,checkouts,finances}.test.ts',
  'test/simulator/{scenarios,scenario-effects,scenario-turns,transitions,callbacks}.test.ts',
  'test/{api,simulator}/*.test.ts',
  'test/docs/codes.test.ts',
  'test/pages/pages.test.ts'
]

const { values, positionals } = parseArgs({
  options: {
    windows: { type: 'string', default: '30' },
    seed: { type: 'string', default: String(anySeed()) },
    jobs: { type: 'string', default: '2' }
  },
  allowPositionals: true
})
console.log(`--windows ${values.windows} --seed ${values.seed} --jobs ${values.jobs}`)
const mutate =
  positionals.length > 0 ? positionals : pickWindows(Number(values.windows), Number(values.seed))
for (const range of mutate) console.log(`  ${range}`)

// The limit of .taprc is for groups; that of tap is 30 s, which a busy machine needs.
process.env.TAP_TIMEOUT ??= '600'

try {
  const results = await new Stryker({
    mutate,
    testRunner: 'tap',
    plugins: ['@stryker-mutator/tap-runner'],
    tap: {
      testFiles: [...new Set(testFiles.flatMap((pattern) => globSync(pattern).sort()))],
      nodeArgs: ['-r', '{{hookFile}}', '{{testFile}}'],
      forceBail: true
    },
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    // The texts of messages are compared where a merchant reads them: with the documentation.
    mutator: { excludedMutations: ['StringLiteral'] },
    disableTypeChecks: false,
    concurrency: Number(values.jobs),
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 30,
    // Node strips no types in a folder under node_modules, so the copy is elsewhere.
    tempDirName: join(tmpdir(), 'momock-stryker'),
    reporters: ['clear-text', 'html'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: 'mutants.html' },
    thresholds: { high: 95, low: 90, break: leastKilledPercent }
  }).runMutationTest()
  if (results.length === 0) throw new Error('no mutant was made: name other files or windows')
} catch (error) {
  console.error(error)
  process.exitCode = 1
}

/** Chooses ranges of lines, each file as likely as it is long. */
function pickWindows (count: number, seed: number): string[] {
  const random = seededRandom(seed)
  const windows = mutated
    .flatMap((pattern) => globSync(pattern).sort())
    .flatMap((file) => {
      const lines = readFileSync(file, 'utf8').split('\n').length
      return Array.from({ length: Math.ceil(lines / windowLines) }, (_, index) => {
        return `${file}:${index * windowLines + 1}-${(index + 1) * windowLines}`
      })
    })
  const picked = new Set<string>()
  while (picked.size < Math.min(count, windows.length)) picked.add(random.pick(windows))
  return [...picked]
}
