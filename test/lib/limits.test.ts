import t from 'tap'
import { limitEachTest, slow } from '../support/limits.ts'

limitEachTest()

const { timeout } = slow

for (const which of ['first', 'second']) {
  t.test(`the ${which} test with the same options has their limit`, slow, async (t) => {
    t.equal(t.options.timeout, timeout)
  })
}

t.test('a test without a limit of its own has the usual one', async (t) => {
  t.ok(Number(t.options.timeout) > 0)
})
