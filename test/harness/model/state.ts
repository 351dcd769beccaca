import type { Kind, Version } from '../../support/bodies.ts'

/** A pure model of one account: what its payments do as its frozen clock is moved. */

export type Operation = 'DEPOSIT' | 'PAYOUT' | 'REFUND' | 'REMITTANCE'
export type Availability = 'OPERATIONAL' | 'DELAYED' | 'CLOSED'
export type ScriptKind = 'deposit' | 'payout' | 'refund' | 'remittance'
export type End = 'COMPLETED' | 'FAILED'

/** A payment is PROCESSING after a while, and has ended after another. */
export interface Script {
  processing: number
  end: number
  to: End
}

interface Step {
  at: number
  to: string
}

export interface ModelPayment {
  kind: Kind
  version: Version
  id: string
  amount: number
  created: number
  /** What was recorded last. */
  status: string
  /** What is still to come. */
  steps: Step[]
  /** What follows once its provider works again, while it is ENQUEUED. */
  held?: Script
  /** The split payment or checkout it belongs to. */
  whole?: string
  /** Of a split payment: its deposit and its payouts. Of a checkout: its attempts. */
  parts: string[]
  /** A tester has moved it, and it stays there. */
  moved?: boolean
  /** Of a refund. */
  depositId?: string
  /** Of a checkout: when it closes, and where its customer pays. */
  expiry?: number
  page?: string
}

/** What a snapshot keeps. */
export interface Account {
  now: number
  payments: Map<string, ModelPayment>
  scripts: Partial<Record<ScriptKind, Script>>
  outage: Record<Operation, Availability>
}

export interface Model extends Account {
  /** Identifiers and names are counted, so that a run can be repeated. */
  counter: number
  snapshots: Map<string, Account>
}

export const startOfTime = Date.parse('2026-01-31T12:00:00Z')
export const openingBalance = 1_000_000
/** What becomes of a payment that no scenario is about. */
const usual: Script = { processing: 50, end: 450, to: 'COMPLETED' }
const promptMs = 50
const checkoutMs = 3 * 60_000
const operational: Record<Operation, Availability> = {
  DEPOSIT: 'OPERATIONAL',
  PAYOUT: 'OPERATIONAL',
  REFUND: 'OPERATIONAL',
  REMITTANCE: 'OPERATIONAL'
}
const finals = ['COMPLETED', 'FAILED', 'PAYOUT_FAILED', 'EXPIRED', 'CANCELLED']

export function newAccount (now = startOfTime): Account {
  return { now, payments: new Map(), scripts: {}, outage: { ...operational } }
}

export function newModel (): Model {
  return { ...newAccount(), counter: 0, snapshots: new Map() }
}

export function isFinal (status: string): boolean {
  return finals.includes(status)
}

export function operationOf (kind: ScriptKind): Operation {
  const operations: Record<ScriptKind, Operation> = {
    deposit: 'DEPOSIT',
    payout: 'PAYOUT',
    refund: 'REFUND',
    remittance: 'REMITTANCE'
  }
  return operations[kind]
}

/** Is a payment accepted as its provider is? Deposits are refused where others would wait. */
export function isTaken ({ outage }: Account, kind: ScriptKind): boolean {
  const state = outage[operationOf(kind)]
  return state === 'OPERATIONAL' || (state === 'DELAYED' && kind !== 'deposit')
}

type Fields = Pick<ModelPayment, 'kind' | 'version' | 'id' | 'amount'> & Partial<ModelPayment>

/** Adds a payment that was accepted now. */
export function addPayment (account: Account, fields: Fields): ModelPayment {
  const { kind, id } = fields
  const first = kind === 'checkout' ? 'WAITING_PAYMENT' : 'ACCEPTED'
  const payment: ModelPayment = {
    created: account.now,
    status: first,
    steps: [],
    parts: [],
    ...fields
  }
  account.payments.set(id, payment)
  if (kind === 'splitPayment') payment.steps = [{ at: account.now + promptMs, to: 'PROCESSING' }]
  else if (kind === 'checkout') payment.expiry = account.now + checkoutMs
  else if (!(kind === 'payout' && payment.whole !== undefined)) begin(account, payment, kind)
  return payment
}

/** A payment begins to follow its script, or waits for its provider. */
function begin (account: Account, payment: ModelPayment, kind: ScriptKind): void {
  const script = account.scripts[kind] ?? usual
  if (account.outage[operationOf(kind)] === 'DELAYED') {
    payment.steps = [{ at: account.now, to: 'ENQUEUED' }]
    payment.held = script
  } else follow(payment, script, account.now)
}

function follow (payment: ModelPayment, { processing, end, to }: Script, start: number): void {
  const at = start + processing
  payment.steps.push({ at, to: 'PROCESSING' }, { at: at + end, to })
}

/** The status as the clock shows it: what leads to no end is true as soon as it is time. */
export function statusOf ({ now }: Account, payment: ModelPayment): string {
  let { status } = payment
  for (const { at, to } of payment.steps) {
    if (at > now || isFinal(to) || isFinal(status)) break
    status = to
  }
  return status
}

/** Statuses that may be shown. A split payment that has parts under way is one or the other. */
export function statusesOf (account: Account, payment: ModelPayment): string[] {
  const status = statusOf(account, payment)
  if (payment.kind !== 'splitPayment') return [status]
  if (!isFinal(status)) return ['ACCEPTED', 'PROCESSING']
  // Its parts may end before its own first step; what is shown until then is left open.
  return account.now < payment.created + promptMs ? [status, 'ACCEPTED', 'PROCESSING'] : [status]
}

/** Moves the clock on; what falls due on the way happens in order. */
export function advance (account: Account, target: number): void {
  for (;;) {
    const due = [...account.payments.values()].map(dueOf)
    const next = Math.min(...due)
    if (next > target) break
    account.now = Math.max(account.now, next)
    for (const payment of account.payments.values()) happen(account, payment)
  }
  account.now = target
}

function dueOf ({ status, steps, expiry }: ModelPayment): number {
  if (isFinal(status)) return Infinity
  if (expiry !== undefined) return status === 'WAITING_PAYMENT' ? expiry : Infinity
  return steps[0]?.at ?? Infinity
}

function happen (account: Account, payment: ModelPayment): void {
  if (dueOf(payment) > account.now) return
  if (payment.kind === 'checkout') payment.status = 'EXPIRED'
  while (!isFinal(payment.status) && (payment.steps[0]?.at ?? Infinity) <= account.now) {
    payment.status = payment.steps.shift()?.to ?? payment.status
  }
  if (isFinal(payment.status)) ended(account, payment)
}

/** Ends a payment now, whatever its script says. */
export function finish (account: Account, payment: ModelPayment, to: string): void {
  payment.status = to
  payment.steps = []
  payment.held = undefined
  ended(account, payment)
}

/** Statuses that a tester can move a payment to. A payout that waits for its deposit has none. */
export function movesOf (account: Account, payment: ModelPayment): string[] {
  if (!hasBegun(payment)) return []
  const order = ['ACCEPTED', 'ENQUEUED', 'PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED']
  const status = statusOf(account, payment)
  if (isFinal(status)) return []
  return order
    .slice(order.indexOf(status) + 1)
    .filter((to) => !(to === 'ENQUEUED' && payment.kind === 'deposit'))
}

/** Moves a payment as a tester does: the rest of its script is dropped. */
export function moveTo (account: Account, payment: ModelPayment, to: string): void {
  payment.moved = true
  if (isFinal(to)) return finish(account, payment, to)
  Object.assign(payment, { status: to, steps: [], held: undefined })
}

/** Only a payout of a split payment waits before it begins. */
function hasBegun ({ kind, whole, steps, held, status, moved }: ModelPayment): boolean {
  if (kind !== 'payout' || whole === undefined) return true
  return steps.length > 0 || held !== undefined || moved === true || isFinal(status)
}

/** What follows for the whole that a payment is a part of. */
function ended (account: Account, part: ModelPayment): void {
  const whole = account.payments.get(part.whole ?? '')
  if (whole === undefined || isFinal(whole.status)) return
  if (whole.kind === 'checkout') {
    const open = account.now < (whole.expiry ?? 0)
    if (part.status === 'COMPLETED') whole.status = 'COMPLETED'
    else whole.status = open ? 'WAITING_PAYMENT' : 'EXPIRED'
    return
  }
  const parts = whole.parts.flatMap((id) => account.payments.get(id) ?? [])
  const payouts = parts.filter(({ kind }) => kind === 'payout')
  if (part.kind === 'deposit' && part.status === 'FAILED') {
    for (const payout of payouts) payout.status = 'FAILED'
    whole.status = 'FAILED'
    return
  }
  if (part.kind === 'deposit') {
    for (const payout of payouts) {
      if (account.outage.PAYOUT === 'CLOSED') payout.status = 'FAILED'
      else begin(account, payout, 'payout')
    }
  }
  if (payouts.some(({ status }) => !isFinal(status))) return
  const failed = payouts.some(({ status }) => status === 'FAILED')
  whole.status = failed ? 'PAYOUT_FAILED' : 'COMPLETED'
  whole.steps = []
}

/** A provider works again: what waited goes on from now. The number of payments that did. */
export function release (account: Account, operation: Operation): number {
  const waiting = [...account.payments.values()].filter(({ kind, held }) => {
    const isOne = kind === 'payout' || kind === 'refund' || kind === 'remittance'
    return held !== undefined && isOne && operationOf(kind) === operation
  })
  for (const payment of waiting) {
    if (payment.held !== undefined) follow(payment, payment.held, account.now)
    payment.held = undefined
  }
  return waiting.length
}

/** What is left of a deposit to give back; nothing, if none can be given back now. */
export function refundable (account: Account, deposit: ModelPayment | undefined): number {
  if (deposit === undefined || deposit.status !== 'COMPLETED') return 0
  const refunds = [...account.payments.values()].filter(({ depositId }) => depositId === deposit.id)
  if (refunds.some(({ status }) => !isFinal(status))) return 0
  const given = refunds.filter(({ status }) => status === 'COMPLETED')
  return given.reduce((left, { amount }) => left - amount, deposit.amount)
}

/** What the wallet holds: deposits that completed, less everything that left or is leaving. */
export function balance (account: Account): number {
  let sum = openingBalance
  for (const payment of account.payments.values()) {
    const { kind, status, amount } = payment
    const begun = hasBegun(payment)
    if (kind === 'deposit' && status === 'COMPLETED') sum += amount
    else if ((kind === 'payout' && begun) || kind === 'refund' || kind === 'remittance') {
      if (status !== 'FAILED') sum -= amount
    }
  }
  return sum
}
