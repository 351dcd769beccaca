import { text } from 'node:stream/consumers'
import t from 'tap'
import Reporter from '../support/reporter.ts'

const passed = `# Subtest: test/one.test.ts
    ok 1 - first # time=1ms
    ok 2 - long # SKIP takes long: npm run test:full
    ok 3 - other # SKIP there is no browser
    1..3
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

t.test('a run that passed prints its groups, what it skipped, and the total', async (t) => {
  t.equal(
    await report(`${passed}# { total: 3, pass: 1, skip: 2 }\n`),
    `ok 1 - test/one.test.ts # time=2ms
# skipped 1 test (takes long: npm run test:full)
# skipped 1 test (there is no browser): other
1 passed, 0 failed, 2 skipped
`
  )
})

t.test('a run that failed repeats its failures at the end', async (t) => {
  const printed = await report(`${failed}# { total: 3, pass: 1, fail: 1, todo: 1 }\n`)
  const [lines, end] = printed.split('# Failures:\n')
  t.match(lines, /^ {8}not ok 2 - bad\n {10}---\n {10}compare: ===\n/)
  t.equal(
    end,
    `#         not ok 2 - bad
#           ---
#           compare: ===
#           ...
#     not ok 1 - second # time=1ms
# not ok 2 - test/two.test.ts # time=2ms
1 passed, 1 failed, 1 skipped
`
  )
})

/** Prints the report of a run, whose lines come in parts. */
async function report (tap: string): Promise<string> {
  const reporter = new Reporter()
  for (const part of tap.match(/[^]{1,30}/g) ?? []) reporter.write(part)
  reporter.end()
  return await text(reporter)
}
