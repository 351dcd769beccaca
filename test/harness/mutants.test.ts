import t from 'tap'
import { applyMutant } from './mutants/mutant.ts'
import { mutants } from './mutants/table.ts'

t.test('each mutant has a name of its own, and there are at least 40', async (t) => {
  t.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length)
  t.ok(mutants.length >= 40, `${mutants.length} mutants`)
})

t.test('a mutant whose text is gone or stands twice is named', async (t) => {
  const mutant = { name: 'x', file: 'a.ts', text: 'one', replacement: 'two', tests: [] }
  t.equal(applyMutant(mutant, 'one and two'), 'two and two')
  t.throws(() => applyMutant(mutant, 'two'), /mutant 'x': the text stands 0 times in a.ts/)
  t.throws(() => applyMutant(mutant, 'one one'), /stands 2 times/)
})
