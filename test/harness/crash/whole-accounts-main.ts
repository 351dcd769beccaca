import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readOptions } from '../../support/options.ts'
import { createCluster, postgresOptions } from '../../support/postgres.ts'
import { runWholeAccountRounds } from './whole-accounts.ts'

/** `npm run test:crash:accounts -- --rounds N --seed S`: with a file, and with PostgreSQL. */
const { rounds, seed } = readOptions({ rounds: 20 })
const folder = mkdtempSync(join(tmpdir(), 'momock-crash-'))
const report = (line: string): void => console.log(line)
const problems: string[] = []
try {
  const db = join(folder, 'ledger.db')
  problems.push(...(await runWholeAccountRounds({ rounds, seed, db, report })))
  if (postgresOptions.skip !== false) console.log(postgresOptions.skip)
  else {
    const cluster = await createCluster()
    try {
      const db = cluster.url
      problems.push(...(await runWholeAccountRounds({ rounds, seed, db, report })))
    } finally {
      cluster.remove()
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
for (const problem of problems.slice(0, 50)) console.error(problem)
console.log(`${problems.length} problems found with --seed ${seed}`)
process.exitCode = problems.length === 0 ? 0 : 1
