import t from 'tap'
import { compareRuns } from './determinism/run.ts'
import { long } from '../support/full.ts'
import { gateSeed } from '../support/random.ts'

/** A short run of `npm run test:determinism`. */

/** With this seed errorIds once depended on which of 30 requests came first. */
const seedOfErrors = 1183348456

for (const [how, parallel, signed, seed, options] of [
  ['one after the other', false, true, gateSeed, {}],
  ['30 at once', true, false, seedOfErrors, long]
] as const) {
  t.test(`the same seed and the same requests, ${how}, give the same bytes`, options, async (t) => {
    t.comment(`npm run test:determinism -- --rounds 1 --seed ${seed}`)
    t.strictSame(await compareRuns({ seed, parallel, signed }), [])
  })
}
