import type { Test } from 'tap'
import type { Rule } from '../../src/lint/rule.ts'
import { lintOf, shopOf, type Shop } from './shop.ts'

/** Actions of an application and the findings they get: rule, number of requests, message. */
export type RuleRow = [
  name: string,
  act: (shop: Shop) => Promise<unknown>,
  found: Array<[rule: string, count: number, message: RegExp | string]>,
  settings?: object
]

/** Checks the findings of each row, and that every rule has a row that breaks it. */
export async function checkRules (
  t: Test,
  rules: readonly Rule[],
  rows: readonly RuleRow[]
): Promise<void> {
  const seen = new Set<string>()
  for (const [name, act, found, settings] of rows) {
    const shop = await shopOf(t, settings)
    await act(shop)
    const { findings, passed } = await lintOf(shop)
    t.same(
      findings.map(({ rule, count }: any) => [rule, count]),
      found.map(([rule, count]) => [rule, count]),
      name
    )
    found.forEach(([rule, , message], index) => {
      t.match(findings[index]?.message, message, name)
      if (rule !== 'unknown-path') {
        t.match(findings[index]?.equivalent, { method: /./, path: /^\/v2\// }, `${name}, in v2`)
      }
      seen.add(rule)
    })
    t.equal(passed, found.length === 0)
  }
  const untried = rules.map(({ id }) => id).filter((rule) => !seen.has(rule))
  t.same(untried, [], 'every rule is tried')
}
