import t from 'tap'
import { compareRuns } from './harness/determinism/run.ts'
import { anySeed } from './harness/support/random.ts'

/** A short run of `npm run test:determinism`. */

const seed = anySeed()

for (const [how, parallel, signed] of [
  ['one after the other', false, true], ['30 at once', true, false]
] as const) {
  t.test(`the same seed and the same requests, ${how}, give the same bytes`, async (t) => {
    t.comment(`npm run test:determinism -- --rounds 1 --seed ${seed}`)
    t.strictSame(await compareRuns({ seed, parallel, signed }), [])
  })
}
