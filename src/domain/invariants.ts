import { toHundredths } from './amount.ts'
import type { Book } from './money.ts'
import type { AnyPayment } from './payment.ts'
import type { Move } from './plan.ts'
import { firstStatus, isFinal, movesFrom } from './status.ts'

/** Rules that hold for every account at any time, and their violations. */
export const invariants = {
  readable: 'every payment in the ledger can be read',
  acceptedOnce: 'an identifier is accepted once for each kind',
  finalStays: 'a payment that has ended does not change any more',
  transitions: 'every history follows the transition table, and time',
  entriesBalance: 'the entries of every payment, and of every wallet, add up to nothing',
  amountMoved:
    'a payment moves its amount when it completes, holds it while it is under way, and gives ' +
    'it back when it fails',
  reservedOpen: 'money is reserved only for payments that have not ended',
  walletsHold: 'every wallet holds what its entries say',
  told:
    'every payment that has ended has a callback in the outbox that says so, unless there is ' +
    'nowhere to send it, it is a part of another, or a callback fault drops it'
} as const

export type Invariant = keyof typeof invariants

/** An entry of the books. */
export interface PostedEntry {
  seq: number
  wallet: number
  book: Book
  amount: number
}

/** Facts of the ledger about a payment. */
export interface PaymentEvidence {
  payment: AnyPayment
  /** The identifier it is found by. */
  key: string
  /** The numbers of its moves. */
  numbers: number[]
  entries: PostedEntry[]
  /** Callbacks about the payment: their numbers and states. */
  callbacks: Array<{ account: number; status: string | null }>
}

/** Violations by a payment, by rule. */
export type Findings = Partial<Record<Invariant, string>>

/** Judges one payment. */
export function judgePayment (evidence: PaymentEvidence): Findings {
  const { payment, key, entries } = evidence
  const findings: Findings = {
    acceptedOnce:
      payment.details.id.toLowerCase() === key
        ? undefined
        : `it is found by ${key}, but calls itself ${payment.details.id}`,
    ...judgeHistory(evidence),
    ...judgeMoney(payment, entries),
    told: isUnreported(evidence)
  }
  return Object.fromEntries(Object.entries(findings).filter(([, problem]) => problem !== undefined))
}

function judgeHistory ({ payment: { kind, moves, created }, numbers }: PaymentEvidence): Findings {
  const gap = numbers.findIndex((n, index) => n !== index)
  const findings: Findings = gap < 0 ? {} : { transitions: `its move number ${gap} is missing` }
  let from = firstStatus(kind)
  let since = created
  for (const { to, at } of moves) {
    if (at < since) findings.transitions ??= `it was ${to} before it was ${from}`
    since = at
    if (isFinal(from)) findings.finalStays ??= `it was ${from}, and then ${to}`
    else if (!movesFrom(kind, from).includes(to)) {
      findings.transitions ??= `it went from ${from} to ${to}`
    }
    from = to
  }
  return findings
}

function judgeMoney (payment: AnyPayment, entries: readonly PostedEntry[]): Findings {
  const in_ = (book: Book): number => sumEntries(entries.filter((entry) => entry.book === book))
  const state = endOf(payment)
  const due = dueOf(payment, state, entries.length > 0)
  const reserved = in_('reserved')
  const total = sumEntries(entries)
  return {
    entriesBalance: total === 0 ? undefined : `its entries add up to ${total} hundredths`,
    amountMoved:
      in_('available') === due
        ? undefined
        : `it is ${state?.to ?? 'under way'} and has moved ${in_('available')} hundredths ` +
          `instead of ${due}`,
    reservedOpen:
      reserved === 0 || (state === undefined && reserved > 0)
        ? undefined
        : `it is ${state?.to ?? 'under way'} and has ${reserved} hundredths reserved`
  }
}

/**
 * Money that a payment must have brought into the wallet by now, in hundredths. A payout that has
 * not begun has no entries.
 */
function dueOf ({ kind, details }: AnyPayment, state: Move | undefined, begun: boolean): number {
  if (kind.money === 'none' || !('amount' in details)) return 0
  const amount = toHundredths(details.amount)
  if (kind.money === 'in') return state?.to === 'COMPLETED' ? amount : 0
  return state?.to === 'COMPLETED' || (state === undefined && begun) ? -amount : 0
}

function isUnreported ({ payment, callbacks }: PaymentEvidence): string | undefined {
  if (callbacks.some(({ account }) => account !== payment.account)) {
    return 'a callback that tells of it belongs to another account'
  }
  const end = endOf(payment)
  if (end === undefined || callbacks.some(({ status }) => status === end.to)) return undefined
  const excused =
    end.noCallbackReason === 'nowhere' ||
    (end.noCallbackReason === 'part' && payment.details.silent === true) ||
    (end.noCallbackReason === 'dropped' && payment.plan.callback?.drop === true)
  return excused ? undefined : `it is ${end.to}, and no callback says so`
}

/** The move with which a payment ended, if it has. */
function endOf ({ moves }: AnyPayment): Move | undefined {
  const last = moves.at(-1)
  return last !== undefined && isFinal(last.to) ? last : undefined
}

export function sumEntries (entries: readonly PostedEntry[]): number {
  return entries.reduce((sum, { amount }) => sum + amount, 0)
}

/** A wallet, and the sum of its entries. */
export interface WalletEvidence {
  id: number
  country: string
  currency: string
  available: number
  reserved: number
}

/** Judges one wallet by the sums of its entries, book by book. */
export function judgeWallet (
  { available, reserved }: WalletEvidence,
  sums: Record<Book, number>
): Findings {
  const total = sums.available + sums.reserved + sums.world
  const wrong = (['available', 'reserved'] as const)
    .filter((book) => sums[book] !== { available, reserved }[book])
    .map(
      (book) =>
        `${{ available, reserved }[book]} hundredths ${book}, and its entries say ${sums[book]}`
    )
  return {
    ...(total !== 0 && { entriesBalance: `its entries add up to ${total} hundredths` }),
    ...(wrong.length > 0 && { walletsHold: `it says ${wrong.join('; ')}` })
  }
}
