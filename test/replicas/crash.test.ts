import t from 'tap'
import { runReplicaRounds } from '../harness/crash/replicas.ts'
import { gateSeed } from '../support/random.ts'
import { makeLong } from '../support/full.ts'
import { createSchema, openCluster, postgresOptions } from '../support/postgres.ts'

/** A short run of `npm run test:replicas:crash`. */

const options = makeLong(postgresOptions)

t.test('what any of three servers answered survives their ends', options, async (t) => {
  const db = await createSchema(t, (await openCluster()).url)
  const report = (line: string): void => t.comment(line)
  const { accepted, problems } = await runReplicaRounds({ rounds: 3, seed: gateSeed, db, report })
  t.ok(accepted > 0, `${accepted} payments were accepted`)
  t.strictSame(problems, [])
})
