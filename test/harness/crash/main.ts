import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '../../support/options.ts'
import { runPowerLosses } from './power-loss.ts'
import { runCrashRounds } from './rounds.ts'

/** `npm run test:crash -- --rounds N --losses N --seed S` */
const { rounds, losses, seed } = readOptions({ rounds: 20, losses: 10 })
const folder = mkdtempSync(join(tmpdir(), 'momock-crash-'))
const report = (line: string): void => console.log(line)
try {
  const crashes = await runCrashRounds({ rounds, seed, folder, report })
  console.log(`${crashes.accepted} payments accepted in ${rounds} rounds`)
  const power = losses === 0 ? undefined : await runPowerLosses({ losses, seed, folder, report })
  if (power?.skipped !== undefined) console.log(`power loss was not simulated: ${power.skipped}`)
  const problems = [...crashes.problems, ...(power?.problems ?? [])]
  for (const problem of problems.slice(0, 50)) console.error(problem)
  console.log(`${problems.length} problems found with --seed ${seed}`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
