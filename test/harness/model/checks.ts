import { judgeCallback, readCallback } from '../../contract/judge.ts'
import { pathOf, type Version } from '../../support/bodies.ts'
import { until } from '../../support/server-process.ts'
import { compareViews } from '../../support/views.ts'
import { balance, isFinal, statusesOf, type Model, type ModelPayment } from './state.ts'
import type { Count, System } from './system.ts'

/** Compares the server with the model. */

export function expectEqual (what: string, got: unknown, wanted: unknown): void {
  if (got !== wanted) throw new Error(`${what}: ${String(got)} instead of ${String(wanted)}`)
}

/** Compares the status in an answer; the message shows all of it. */
export function expectStatus (
  what: string,
  body: { status: string },
  wanted: readonly string[]
): void {
  if (wanted.includes(body.status)) return
  throw new Error(`${what}: ${JSON.stringify(body)} instead of ${wanted.join(' or ')}`)
}

/** Time after which the metrics show what the ledger holds. */
const metricsMs = 20_000

/** What v1 calls a status. */
const v1Words: Record<string, string> = {
  PROCESSING: 'SUBMITTED',
  IN_RECONCILIATION: 'SUBMITTED'
}

/** A payment has the status it must have, in the words of either version. */
export async function checkStatus (
  model: Model,
  system: System,
  payment: ModelPayment,
  version: Version
): Promise<void> {
  const { kind, id } = payment
  const wanted = statusesOf(model, payment)
  if (version === 'v1' && (kind === 'deposit' || kind === 'payout' || kind === 'refund')) {
    const { body } = await system.call<Array<{ status: string }>>(
      'GET',
      `${pathOf(kind, 'v1')}/${id}`
    )
    const words = wanted.map((status) => v1Words[status] ?? status)
    return expectStatus(`${kind} ${id}`, body[0] ?? { status: 'nothing' }, words)
  }
  const { body } = await system.call<{ data?: { status: string }; status: string }>(
    'GET',
    `${pathOf(kind, 'v2')}/${id}`
  )
  expectStatus(`${kind} ${id}`, body.data ?? body, wanted)
}

interface Balances {
  balances: Array<{ country: string; balance: string }>
}

/** Everything an account shows is as in the model: payments, money, invariants, callbacks. */
export async function checkAccount (model: Model, system: System): Promise<void> {
  const listed = await system.client().payments()
  const found = new Map(listed.map((payment) => [payment.id, payment]))
  for (const [id, payment] of model.payments) {
    const status = found.get(id)?.status ?? 'missing'
    expectStatus(`${payment.kind} ${id} in the list`, { status }, statusesOf(model, payment))
  }
  expectEqual('payments in the list', listed.length, model.payments.size)
  const { body } = await system.call<Balances>('GET', '/v2/wallet-balances?country=ZMB')
  const held = body.balances.reduce((sum, { balance }) => sum + Number(balance), 0)
  expectEqual('the wallet', held, balance(model))
  const { hold, invariants } = await system.client().invariants()
  if (!hold) throw new Error(JSON.stringify(invariants.filter(({ broken }) => broken > 0)))
  checkCallbacks(model, system)
}

/** Every payment that has ended, and is no part of another, was called back with its end. */
function checkCallbacks (model: Model, { token, receiver }: System): void {
  const own = receiver.arrivals.filter(({ url }) => url === `/${token}`)
  const told = own.map(({ text }) => text)
  for (const text of told) {
    const body = JSON.parse(text)
    const breach = judgeCallback(...readCallback(body), body)
    if (breach !== undefined) throw new Error(`${text} breaks the contract: ${breach}`)
  }
  for (const payment of model.payments.values()) {
    const wanted = statusesOf(model, payment)
    if (payment.whole !== undefined || !wanted.every(isFinal)) continue
    const end = `"status":"${payment.status}"`
    if (!told.some((text) => text.includes(`Id":"${payment.id}"`) && text.includes(end))) {
      throw new Error(`${payment.kind} ${payment.id} is ${payment.status}, and nobody was told`)
    }
  }
}

/** List, counts, metrics, single view and API show the same payments. */
export async function checkViews (system: System): Promise<void> {
  const problems = await compareViews(async (path, method = 'GET', payload) => {
    const { status, body } = await system.call<unknown>(method, path, payload)
    return status === 200 ? body : undefined
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const { body } = await system.call<{ counts: Count[] }>('GET', '/__admin/payments/counts')
  const counted = body.counts.map(({ kind, status, count }) => [`${kind} ${status}`, count])
  const wanted = String(counted.sort())
  // The metrics keep their counts for a few times as long as it took to count.
  const measure = async (): Promise<string> => String(Object.entries(await system.metrics()).sort())
  await until(measure, (measured) => measured === wanted, metricsMs)
}
