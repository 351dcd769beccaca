import t from 'tap'
import { long } from '../support/full.ts'
import { causeFault, shortList } from './faults/run.ts'

/** A short run of `npm run test:faults`, each fault with a server of its own. */

t.jobs = 2
const short = ['a clock that jumps']

for (const fault of shortList) {
  t.test(
    `the server recovers by itself from ${fault}`,
    { buffered: true, ...(!short.includes(fault) && long) },
    async (t) => {
      const { problems, skipped } = await causeFault(fault)
      if (skipped !== undefined && process.env.FAULT_TESTS !== 'required') {
        return t.pass(fault, { skip: skipped })
      }
      t.equal(skipped, undefined)
      t.strictSame(problems, [])
    }
  )
}
