import t from 'tap'
import { catalogue, families, select } from '../../src/exam/catalogue.ts'
import { names, load } from './museum.ts'

/** The rows of the catalogue. */

t.test('the catalogue has every check once, in order', async (t) => {
  const ids = catalogue.map(({ id }) => id)
  t.same(ids, [...new Set(ids)])
  t.same(
    [...new Set(catalogue.map(({ id }) => id.slice(0, 3)))],
    Object.keys(families),
    'every family has a name'
  )
})

t.test('every check says what it does, why it matters and how to mend it', async (t) => {
  for (const { id, title, does, shouldBe, why, fix, requirement } of catalogue) {
    for (const text of [does, shouldBe, why, fix, requirement.rule]) {
      t.match(text, /^\S.*[.)]$/, `${id}: ${text}`)
    }
    t.match(title, /^[^.]{5,100}$/, `${id}: ${title}`)
  }
})

const selections: Array<[words: string[], ids: string[], unknown: string[]]> = [
  [['SIG-01', 'REQ'], ['SIG-01', 'REQ-01', 'REQ-02'], []],
  [['sig-01'], ['SIG-01'], []],
  [['SIG-99', 'S', 'END-01'], ['END-01'], ['SIG-99', 'S']]
]

t.test('checks are selected by identifier and by family', async (t) => {
  for (const [words, ids, unknown] of selections) {
    const selected = select(words)
    t.same(
      selected.checks.map(({ id }) => id),
      ids,
      words.join(' ')
    )
    t.same(selected.unknown, unknown, words.join(' '))
  }
  t.equal(select([]).checks.length, catalogue.length, 'without words all of them')
})

t.test('every check has a bad merchant', async (t) => {
  const red = new Set<string>()
  for (const name of names) for (const id of (await load(name)).fails) red.add(id)
  t.same(
    catalogue.map(({ id }) => id).filter((id) => !red.has(id)),
    []
  )
})
