import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { applyMutant } from './mutants/mutant.ts'
import { root } from './mutants/run.ts'
import { mutants } from './mutants/table.ts'

t.test('each mutant has a name of its own, and there are at least 40', async (t) => {
  t.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length)
  t.ok(mutants.length >= 40, `${mutants.length} mutants`)
})

t.test('the text of each mutant stands exactly once in its file', async (t) => {
  for (const mutant of mutants) {
    const source = readFileSync(join(root, mutant.file), 'utf8')
    t.not(applyMutant(mutant, source), source, mutant.name)
    for (const test of mutant.tests) t.ok(existsSync(join(root, test)), `${mutant.name}: ${test}`)
  }
})

t.test('a mutant whose text is gone or stands twice is named', async (t) => {
  const mutant = { name: 'x', file: 'a.ts', text: 'one', replacement: 'two', tests: [] }
  t.equal(applyMutant(mutant, 'one and two'), 'two and two')
  t.throws(() => applyMutant(mutant, 'two'), /mutant 'x': the text stands 0 times in a.ts/)
  t.throws(() => applyMutant(mutant, 'one one'), /stands 2 times/)
})
