import t from 'tap'
import { loadLazily } from '../../src/lib/lazy.ts'

t.test('a part is loaded once, when it is first needed', async (t) => {
  let loads = 0
  const part = loadLazily(async () => ++loads)
  t.equal(part.current(), undefined, 'nobody has asked for it')
  t.strictSame(await Promise.all([part(), part()]), [1, 1])
  t.equal(await part.current(), 1)
  t.equal(await part(), 1)
})

t.test('a load that failed is tried again', async (t) => {
  let loads = 0
  const part = loadLazily(async () => {
    if (++loads === 1) throw new Error('too many open files')
    return loads
  })
  await t.rejects(Promise.all([part(), part()]), { message: 'too many open files' })
  t.equal(part.current(), undefined)
  t.equal(await part(), 2)
  t.equal(await part(), 2)
})
