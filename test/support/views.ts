import { isDeepStrictEqual } from 'node:util'

/** Compares all views of the payments of an account. */

/** Payments of a list that are counted, the newest first. */
export const mostPayments = 50

/** Asks a server as an account. The answer is undefined if the status is not 200. */
export type Ask = (path: string, method?: 'GET' | 'PUT', payload?: object) => Promise<any>

/**
 * Returns the differences between the views of an account. `singly` of its newest payments are also
 * looked at one by one.
 */
export async function compareViews (ask: Ask, singly = 20): Promise<string[]> {
  const problems: string[] = []
  const same = (what: string, one: unknown, other: unknown): void => {
    if (isDeepStrictEqual(one, other)) return
    problems.push(`${what}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`)
  }
  const audit = await ask('/__admin/invariants')
  const broken = audit?.invariants.filter((one: { broken: number }) => one.broken > 0) ?? []
  same('broken invariants', broken, [])
  const { payments, next } = await ask(`/__admin/payments?order=newest&limit=${mostPayments}`)
  const { total, counts } = await ask('/__admin/payments/counts')
  const tally: Record<string, number> = {}
  for (const { kind, status } of payments) {
    tally[`${kind} ${status}`] = (tally[`${kind} ${status}`] ?? 0) + 1
  }
  if (next === undefined) {
    same('number of payments in the list, and counted', payments.length, total)
    same(
      'payments by kind and status in the list, and counted',
      sorted(tally),
      sorted(Object.fromEntries(counts.map((one: any) => [`${one.kind} ${one.status}`, one.count])))
    )
  }
  for (const payment of payments.slice(0, singly)) await comparePayment(ask, payment, same)
  await compareWallets(ask, same)
  return problems
}

const sorted = (record: Record<string, number>): unknown => Object.entries(record).sort()

type Same = (what: string, one: unknown, other: unknown) => void

const paths: Record<string, [path: string, hasV1: boolean]> = {
  deposit: ['deposits', true],
  payout: ['payouts', true],
  refund: ['refunds', true],
  remittance: ['remittances', false],
  splitPayment: ['split-payments', false],
  checkout: ['checkouts', false]
}

async function comparePayment (ask: Ask, summary: any, same: Same): Promise<void> {
  const { kind, id, status } = summary
  const view = await ask(`/__admin/payments/${kind}/${id}`)
  const what = `${kind} ${id} in the list, and`
  const shown = Object.fromEntries(Object.keys(summary).map((name) => [name, view?.[name]]))
  same(`${what} alone`, summary, shown)
  if (view === undefined) return
  same(`${what} in its history`, status, view.history.at(-1)?.status ?? status)
  const [path, hasV1] = paths[kind]
  const v2 = await ask(`/v2/${path}/${id}`)
  if (v2 !== undefined) same(`${what} in the API`, view.records.v2, v2.data)
  if (v2?.data !== undefined) same(`${what} in v2`, status, v2.data.status)
  const v1 = hasV1 ? await ask(`/${path}/${id}`) : undefined
  if (v1 !== undefined) same(`${what} in the API of v1`, view.records.v1, v1[0])
}

async function compareWallets (ask: Ask, same: Same): Promise<void> {
  const v2 = await ask('/v2/wallet-balances')
  const v1 = await ask('/v1/wallet-balances')
  if (v1 === undefined || v2 === undefined) return
  const bare = ({ country, currency, balance }: any): unknown[] => [country, currency, balance]
  same('balances of v1 and v2', v1.balances.map(bare), v2.balances.map(bare))
}
