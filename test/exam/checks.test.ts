import t from 'tap'
import { catalogue, families, select } from '../../src/exam/catalogue.ts'
import { names, load } from './museum.ts'

/** The rows of the catalogue. */

/** Every check with its severity and the depths of a firm verdict. */
const wanted: Array<[id: string, severity: string, depth: string]> = [
  ['SIG-01', 'critical', '1+2'],
  ['SIG-02', 'critical', '1+2'],
  ['SIG-03', 'critical', '1+2'],
  ['SIG-04', 'critical', '1+2'],
  ['SIG-05', 'high', '1+2'],
  ['SIG-06', 'high', '0'],
  ['SIG-07', 'critical', '0'],
  ['SIG-08', 'medium', '0'],
  ['SIG-09', 'high', '0'],
  ['SIG-10', 'high', '1+2'],
  ['SIG-11', 'critical', '1+2'],
  ['TRU-01', 'critical', '1+2'],
  ['TRU-02', 'high', '1+2'],
  ['TRU-03', 'critical', '1+2'],
  ['TRU-04', 'high', '1+2'],
  ['TRU-05', 'high', '0+2'],
  ['IDE-01', 'critical', '1+2'],
  ['IDE-02', 'critical', '1+2'],
  ['IDE-03', 'high', '1+2'],
  ['IDE-04', 'high', '1+2'],
  ['IDE-05', 'high', '1+2'],
  ['IDE-06', 'medium', '1+2'],
  ['STA-01', 'critical', '1+2'],
  ['STA-02', 'high', '1+2'],
  ['STA-03', 'high', '0+2'],
  ['STA-04', 'critical', '1+2'],
  ['STA-05', 'high', '1+2'],
  ['STA-06', 'high', '1+2'],
  ['STA-07', 'medium', '1+2'],
  ['REC-01', 'critical', '1'],
  ['REC-02', 'critical', '1+2'],
  ['REC-03', 'high', '1+2'],
  ['REC-04', 'high', '2'],
  ['REC-05', 'medium', '1'],
  ['END-01', 'high', '0'],
  ['END-02', 'high', '0'],
  ['END-03', 'medium', '0'],
  ['END-04', 'medium', '1+2'],
  ['REQ-01', 'medium', '1'],
  ['REQ-02', 'critical', '1']
]

t.test('the catalogue has every check once, in order', async (t) => {
  t.same(
    catalogue.map(({ id, severity, depth }) => [id, severity, depth.join('+')]),
    wanted
  )
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
