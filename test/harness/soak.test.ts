import t from 'tap'
import { plotPage } from './soak/page.ts'
import { risingLines, runSoak } from './soak/run.ts'
import { nightly } from '../support/full.ts'
import { gateSeed } from '../support/random.ts'

/** A few seconds of `npm run test:soak`, which takes an hour, and of `test:soak:short`. */

t.test('a server takes no more of the machine for having been used', nightly, async (t) => {
  const seed = gateSeed
  t.comment(`npm run test:soak -- --seconds 9 --every 1 --seed ${seed}`)
  const samples = await runSoak({ seconds: 9, everySeconds: 1, seed })
  t.strictSame(risingLines(samples), [])
  t.ok(
    samples.every(({ heapMiB, handles }) => heapMiB > 0 && handles > 0),
    'it was measured'
  )
  t.match(plotPage(samples, []), /<polyline points="[\d., ]+"\/>/)
})
