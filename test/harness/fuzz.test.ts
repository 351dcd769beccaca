import t from 'tap'
import { long } from '../support/full.ts'
import { runFuzz } from './fuzz/run.ts'
import { gateSeed as seed } from '../support/random.ts'

/** A short run of `npm run test:fuzz`. */

/** Five times the limit of the long run: the machine may be slow, and this test gates. */
const blockMs = 250

t.test(
  'no request is answered with 5xx or outside its schema, or blocks the others',
  long,
  async (t) => {
    t.comment(`npm run test:fuzz -- --requests 3 --seed ${seed}`)
    const { sent, findings } = await runFuzz({ requests: 3, seed, blockMs, mostFindings: 3 })
    t.strictSame(findings, [])
    t.ok(sent > 300, `${sent} requests were sent`)
  }
)
