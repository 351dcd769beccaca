import { text } from 'node:stream/consumers'
import t from 'tap'
import Reporter from '../support/reporter.ts'

const passed = `# Subtest: test/one.test.ts
    ok 1 - first # time=1ms
    1..1
ok 1 - test/one.test.ts # time=2ms
`
const failed = `# Subtest: test/two.test.ts
    # Subtest: second
        ok 1 - good
        not ok 2 - bad
          ---
          compare: ===
          ...
        not ok 3 - later # TODO
        1..3
    not ok 1 - second # time=1ms
      ---
      at: there
      ...
    1..1
not ok 2 - test/two.test.ts # time=2ms
`
const failures = `# Failures:
#         not ok 2 - bad
#           ---
#           compare: ===
#           ...
#     not ok 1 - second # time=1ms
# not ok 2 - test/two.test.ts # time=2ms
`

const rows = [
  { name: 'a run that failed repeats its failures at the end', tap: passed + failed, failures },
  { name: 'a run that passed adds nothing', tap: passed, failures: '' }
]

for (const { name, tap, failures } of rows) {
  t.test(name, async (t) => {
    const reporter = new Reporter()
    // Parts of a line come apart.
    for (const part of tap.match(/[^]{1,30}/g) ?? []) reporter.write(part)
    reporter.end()
    const printed = await text(reporter)
    t.equal(printed.slice(printed.length - failures.length), failures)
    t.equal(printed.includes('# Failures:'), failures !== '')
  })
}
