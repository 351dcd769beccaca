import { outgoingKinds } from '../../src/domain/kinds.ts'

/** Faults that a button adds as a scenario. Adding a fault means adding a row. */

export interface FaultRow {
  name: string
  label: string
  effect: string
  /** Fields of the scenario. */
  scenario: object
}

const outgoing = { kind: outgoingKinds }

export const faultRows: readonly FaultRow[] = [
  {
    name: 'reset',
    label: 'Connection reset',
    effect: 'The connection closes before anything is stored.',
    scenario: { fault: 'reset' }
  },
  {
    name: 'lost',
    label: 'Lost answer',
    effect: 'The payment is stored, and no answer is sent.',
    scenario: { fault: 'lost' }
  },
  {
    name: 'truncated',
    label: 'Truncated answer',
    effect: 'The answer breaks off in the middle.',
    scenario: { fault: 'truncated' }
  },
  {
    name: 'slow',
    label: 'Slow answer',
    effect: 'The answer comes in ten pieces, within three seconds.',
    scenario: { fault: 'slow' }
  },
  {
    name: 'late',
    label: 'Late answer',
    effect: 'The answer comes after 5 seconds.',
    scenario: { latency: '5s' }
  },
  {
    name: 'error-500',
    label: 'HTTP 500',
    effect: 'The answer is an error of the server.',
    scenario: { http: { status: 500 } }
  },
  {
    name: 'error-503',
    label: 'HTTP 503',
    effect: 'The server is not available.',
    scenario: { http: { status: 503 } }
  },
  {
    name: 'error-429',
    label: 'HTTP 429',
    effect: 'There were too many requests.',
    scenario: { http: { status: 429 } }
  },
  {
    name: 'check-503',
    label: 'Status check 503',
    effect: 'Status checks fail for a minute.',
    scenario: { statusCheck: { status: 503, for: '1m' } }
  },
  {
    name: 'no-money',
    label: 'Wallet without money',
    effect: 'Payouts and refunds are rejected.',
    scenario: { when: outgoing, reject: 'PAWAPAY_WALLET_OUT_OF_FUNDS' }
  },
  {
    name: 'no-callback',
    label: 'No callback',
    effect: 'The callback is never sent.',
    scenario: { callback: { drop: true } }
  },
  {
    name: 'late-callback',
    label: 'Late callback',
    effect: 'The callback comes after 10 minutes.',
    scenario: { callback: { delay: '10m' } }
  },
  {
    name: 'duplicate-callback',
    label: 'Duplicate callback',
    effect: 'The callback comes three times.',
    scenario: { callback: { duplicates: 2 } }
  },
  {
    name: 'early-callback',
    label: 'Early callback',
    effect: 'The callback comes before the answer.',
    scenario: { callback: { beforeAnswer: true } }
  },
  {
    name: 'forged-callback',
    label: 'Forged callback',
    effect: 'The callback is signed with a wrong key.',
    scenario: { callback: { wrongKey: true } }
  },
  {
    name: 'other-host-callback',
    label: 'Callback for another host',
    effect: 'The signature of the callback is for another host.',
    scenario: { callback: { otherHost: true } }
  },
  {
    name: 'stale-callback',
    label: 'Stale callback',
    effect: 'The signature of the callback has expired.',
    scenario: { callback: { stale: true } }
  },
  {
    name: 'unknown-fields',
    label: 'Unknown fields',
    effect: 'The callback has fields that are not documented.',
    scenario: { callback: { extraFields: true } }
  }
]

/** Beginning of the names of the scenarios that these buttons add. */
export const faultPrefix = 'fault-'

/** Scenario of a fault for the next payments, of one kind or of all. */
export function createFault (name: string, times: number, kind?: string): object {
  const row = faultRows.find((fault) => fault.name === name)
  if (row === undefined) throw new Error(`there is no fault '${name}'`)
  const { when, ...effects } = { when: undefined, ...row.scenario }
  const chosen = kind === undefined ? when : { kind }
  return {
    name: `${faultPrefix}${name}`,
    ...(chosen !== undefined && { when: chosen }),
    ...effects,
    times
  }
}

/** Scenario with which the next payments of a kind fail: `deposit INSUFFICIENT_BALANCE`. */
export function createFailure (failure: string, times: number): object {
  const [kind, code = ''] = failure.split(' ')
  const name = `${faultPrefix}${kind}-${code.toLowerCase().replaceAll('_', '-')}`
  return { name, when: { kind }, fail: code, times }
}
