import t from 'tap'
import { catalogue } from '../../src/exam/catalogue.ts'
import type { Check } from '../../src/exam/check.ts'
import { limitEachTest, slowest } from '../support/limits.ts'
import { judgeMerchant } from './judge-merchant.ts'
import { load, names } from './museum.ts'

/**
 * Every check fails for exactly its merchants and passes for the good ones, and every bad merchant
 * is found. EXAM_MATRIX=full runs every check against every merchant. Otherwise a bad merchant gets
 * the checks that it must fail, and some that it must not.
 */

limitEachTest()

const isFull = process.env.EXAM_MATRIX === 'full'
/** Merchants at a time: they wait for clocks more than they compute. */
const width = 4

/** Checks that every merchant gets: fast ones of several families. */
const usual = ['SIG-01', 'SIG-07', 'IDE-03', 'REQ-02']

async function checksFor (name: string): Promise<readonly Check[]> {
  const { fails, warns, only } = await load(name)
  if (only !== undefined) return catalogue.filter(({ id }) => only.includes(id))
  if (isFull || fails.length + warns.length === 0) return catalogue
  return catalogue.filter(({ id }) => [...usual, ...fails, ...warns].includes(id))
}

t.test('every merchant has its findings and no others', slowest, async (t) => {
  const caught = new Set<string>()
  const waiting = [...names]
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      for (const id of await judgeMerchant(t, name, await checksFor(name))) caught.add(id)
    }
  }
  await Promise.all(Array.from({ length: width }, work))
  t.same(
    catalogue.map(({ id }) => id).filter((id) => !caught.has(id)),
    [],
    'every check fails for a merchant'
  )
})
