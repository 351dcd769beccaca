import type { Test } from 'tap'
import type { Check } from '../../src/exam/check.ts'
import { examineMerchant, load } from './museum.ts'

/** Examines a merchant and asserts its findings. Returns the checks that it failed. */
export async function judgeMerchant (
  t: Test,
  name: string,
  given: readonly Check[]
): Promise<string[]> {
  const { fails, also, warns } = await load(name)
  const { checks } = await examineMerchant(name, given)
  const isGiven = (id: string): boolean => given.some((check) => check.id === id)
  const red = checks.filter(({ verdict }) => verdict === 'FAILED')
  t.same(
    red
      .filter(({ id }) => !fails.includes(id) && !also.includes(id))
      .map(({ id, because }) => `${id}: ${because}`),
    [],
    `${name} has no other findings`
  )
  const missed = checks.filter(({ id, verdict }) => fails.includes(id) && verdict !== 'FAILED')
  t.same(
    missed.map(({ id, verdict, because }) => `${id}: ${verdict} ${because}`),
    [],
    `${name} fails ${fails.filter(isGiven).join(', ') || 'nothing'}`
  )
  t.same(
    warns
      .filter(isGiven)
      .filter((id) => checks.find((result) => result.id === id)?.verdict !== 'WARNING'),
    [],
    `${name} has its warnings`
  )
  if (fails.length + warns.length === 0) {
    const others = checks.filter(({ verdict }) => verdict !== 'PASSED')
    t.same(
      others.map(({ id, verdict, because }) => `${id}: ${verdict} ${because}`),
      [],
      `${name} passes every check`
    )
  }
  return red.map(({ id }) => id)
}
