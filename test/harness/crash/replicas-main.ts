import { createCluster, postgresOptions } from '../../support/postgres.ts'
import { readOptions } from '../../support/options.ts'
import { runReplicaRounds } from './replicas.ts'

/** `npm run test:replicas:crash -- --rounds N --seed S` */
const { rounds, seed } = readOptions({ rounds: 20 })
if (postgresOptions.skip !== false) {
  console.error(postgresOptions.skip)
  process.exit(1)
}
const cluster = await createCluster()
try {
  const report = (line: string): void => console.log(line)
  const { accepted, problems } = await runReplicaRounds({ rounds, seed, db: cluster.url, report })
  for (const problem of problems.slice(0, 50)) console.error(problem)
  console.log(`${accepted} payments accepted, ${problems.length} problems with --seed ${seed}`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  cluster.remove()
}
