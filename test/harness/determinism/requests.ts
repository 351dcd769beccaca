import { seededRandom } from '../../support/random.ts'
import { bodyOf, failingCustomer, kinds, pathOf } from '../../support/bodies.ts'
import type { Body, Kind, Version } from '../../support/bodies.ts'

/** One request to the API. */
export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: string
  scenario?: string
}

/** So many requests are sent at once where they are sent in parallel. */
export const groupSize = 30
const groups = 6
const initiated: readonly Kind[] = ['deposit', 'payout', 'remittance', 'splitPayment', 'checkout']
const scenarios = ['reconciled-failed', 'slow-approval', 'error-then-success', 'provider-closed']

/**
 * Groups of requests that follow from a seed: of every kind in both versions, good, refused and
 * malformed. No two of a group are about the same payment, since the order within a group is open.
 */
export function groupsOfCalls (seed: number): Call[][] {
  const random = seededRandom(seed)
  const known: Array<{ kind: Kind; version: Version; id: string; body: Body }> = []
  const refundable: string[] = []
  return Array.from({ length: groups }, () => {
    const before = [...known]
    return Array.from({ length: groupSize }, (): Call => {
      const dice = random.next()
      if (before.length > 0 && dice < 0.3) {
        const [one] = before.splice(random.integer(0, before.length - 1), 1)
        const path = pathOf(one.kind, one.version)
        if (dice < 0.2) return { method: 'GET', path: `${path}/${one.id}` }
        return { method: 'POST', path, body: JSON.stringify(one.body) }
      }
      const depositId = dice > 0.9 ? refundable.shift() : undefined
      const kind = depositId !== undefined ? 'refund' : random.pick(initiated)
      const version = random.pick(kinds[kind].versions)
      const id = random.uuid()
      const body = bodyOf(kind, version, {
        id,
        amount: random.pick(['15', '20.5', '-1', '99999999', '15.123', '7']),
        payoutIds: [random.uuid(), random.uuid()],
        ...(random.chance(0.2) && { phoneNumber: failingCustomer }),
        ...(depositId !== undefined && { depositId, amount: '5' })
      })
      if (random.chance(0.15)) delete body[random.pick(Object.keys(body))]
      known.push({ kind, version, id, body })
      if (kind === 'deposit') refundable.push(id)
      const scripted = kind !== 'checkout' && random.chance(0.1)
      return {
        method: 'POST',
        path: pathOf(kind, version),
        body: JSON.stringify(body),
        ...(scripted && { scenario: random.pick(scenarios) })
      }
    })
  })
}
