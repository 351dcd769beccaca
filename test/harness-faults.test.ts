import t from 'tap'
import { causeFault, faults } from './harness/faults/run.ts'

/** `npm run test:faults` with all faults at the same time, each with a server of its own. */

t.jobs = Object.keys(faults).length

for (const fault of Object.keys(faults)) {
  t.test(`the server recovers by itself from ${fault}`, { buffered: true }, async (t) => {
    const { problems, skipped } = await causeFault(fault)
    if (skipped !== undefined && process.env.FAULT_TESTS !== 'required') {
      t.comment(`skipped: ${skipped}`)
      return
    }
    t.equal(skipped, undefined)
    t.strictSame(problems, [])
  })
}
