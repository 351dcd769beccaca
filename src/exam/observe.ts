import { query, type JsonValue } from 'jsonpath-rfc9535'
import { perform, type Outcome, type Setting } from './action.ts'
import { TargetProblem } from './check.ts'
import type { ExamConfig, ObserveConfig } from './config.ts'
import type { Observation } from './evidence.ts'

/** Asks the merchant what it has booked for a reference. */

export type ObservedKind = 'deposit' | 'payout' | 'refund'

/** Returns how a kind of payment is observed, or undefined if it is not configured. */
export function observationOf (
  { observe }: Pick<ExamConfig, 'observe'>,
  kind: ObservedKind
): ObserveConfig | undefined {
  if (observe === undefined) return undefined
  const { payout, refund, ...usual } = observe
  if (kind === 'deposit') return usual
  const own = kind === 'payout' ? payout : refund
  // A refund belongs to a paid order, so `paid` says nothing about the refund.
  if (own === undefined) return kind === 'payout' ? usual : undefined
  const { http, command } = own.http === undefined && own.command === undefined ? usual : own
  const action = http === undefined ? { command } : { http }
  return kind === 'payout' ? { ...usual, ...own, ...action } : { ...own, ...action }
}

/** Returns the merchant's view of a reference. An unknown reference is not paid. */
export async function observe (
  config: ObserveConfig,
  reference: string,
  at: number,
  setting: Setting
): Promise<Observation> {
  const { http, command } = config
  const action = http === undefined ? { command } : { http }
  const outcome = await perform(action, { ...setting, values: { ...setting.values, reference } })
  const { status, error, line } = outcome
  if (status === 404) return { at, reference, known: false, paid: false }
  if (status === undefined) throw new TargetProblem(`observe: ${line}: ${error ?? 'no answer'}`)
  if (status < 200 || status >= 300) {
    throw new TargetProblem(
      `observe: ${line} was answered with ${status}; it must say what was booked, or 404 for ` +
        'a reference it does not know'
    )
  }
  return { at, reference, known: true, ...read(config, outcome) }
}

function read (
  config: ObserveConfig,
  { text, line }: Outcome
): Omit<Observation, 'at' | 'reference' | 'known'> {
  const json = parse(text, line)
  const failed = config.failed === undefined ? undefined : one(json, config.failed, 'failed', line)
  const amount = config.amount === undefined ? undefined : one(json, config.amount, 'amount', line)
  const effects =
    config.effects === undefined
      ? undefined
      : countOf(one(json, config.effects, 'effects', line), config.effects)
  return {
    paid: truthOf(one(json, config.paid ?? '$.paid', 'paid', line), config.paid ?? '$.paid'),
    ...(amount !== undefined && amount !== null && { amount: String(amount) }),
    ...(effects !== undefined && { effects }),
    ...(failed !== undefined && { failed: truthOf(failed, config.failed ?? '') })
  }
}

function parse (text: string, line: string): JsonValue {
  try {
    return JSON.parse(text)
  } catch {
    throw new TargetProblem(`observe: ${line} did not give JSON, but ${clip(text)}`, true)
  }
}

function one (json: JsonValue, path: string, name: string, line: string): unknown {
  const found = query(json, path)
  if (found.length === 1) return found[0]
  throw new TargetProblem(
    `observe.${name}: ${path} finds ` +
      `${found.length === 0 ? 'nothing' : `${found.length} values`} in what ${line} gave: ` +
      `${clip(JSON.stringify(json))}`,
    true
  )
}

const words: Record<string, boolean> = {
  true: true,
  false: false,
  yes: true,
  no: false,
  1: true,
  0: false,
  paid: true,
  unpaid: false
}

function truthOf (value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value
  const known = words[String(value).toLowerCase()]
  if (known !== undefined) return known
  throw new TargetProblem(
    `observe: ${path} must be true or false, got ${clip(JSON.stringify(value))}`,
    true
  )
}

function countOf (value: unknown, path: string): number {
  const count = Array.isArray(value)
    ? value.length
    : typeof value === 'string' && value !== ''
      ? Number(value)
      : value
  if (typeof count === 'number' && Number.isInteger(count) && count >= 0) return count
  throw new TargetProblem(
    `observe.effects: ${path} must be a whole number or a list, got ${clip(JSON.stringify(value))}`,
    true
  )
}

/** A text that is short enough for a message. */
export function clip (text = 'nothing'): string {
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`
}
