import { kindOfCode, kinds } from '../src/domain/kinds.ts'
import type { DeliveryFault } from '../src/ports/outgoing-callback.ts'
import type { AnyPayment } from '../src/domain/payment.ts'
import type { Version } from '../src/domain/api-version.ts'
import type { Move, MoveBy, NoCallbackReason } from '../src/domain/plan.ts'
import type { Status } from '../src/domain/status.ts'

/** Payments and their moves as they stand in their rows. */

export interface PaymentRow {
  seq: number
  kind: number
  parent: number | null
  version: Version
  created: number
  details: string
  plan: string
}

export interface MoveRow {
  at: number
  status: Status
  failure: string | null
  actor: MoveBy
  cause: string
  step: number | null
  no_callback_reason: NoCallbackReason | null
}

/** In place of a move, where there was none yet. */
export type NoMove = Record<keyof MoveRow, null>

export const paymentColumns = 'seq, kind, parent, version, created, details, plan'
export const moveColumns = 'at, status, failure, actor, cause, step, no_callback_reason'

/** The payment of a row of an account, with its moves. */
export function readPayment (account: number, row: PaymentRow, moves: MoveRow[]): AnyPayment {
  const payment: AnyPayment = {
    seq: row.seq,
    account,
    kind: kindOfCode(row.kind),
    version: row.version,
    created: row.created,
    details: JSON.parse(row.details),
    plan: JSON.parse(row.plan),
    moves: moves.map(readMove)
  }
  if (row.parent !== null) payment.parent = row.parent
  return payment
}

/** The move of a row. */
export function readMove ({ at, status, failure, actor, cause, step, ...row }: MoveRow): Move {
  const move: Move = { at, to: status, by: actor, cause }
  if (failure !== null) move.failure = JSON.parse(failure)
  if (step !== null) move.step = step
  if (row.no_callback_reason !== null) move.noCallbackReason = row.no_callback_reason
  return move
}

/** Returns the fault of a callback, if it has one. */
export function readFault (fault: string | null): { fault?: DeliveryFault } {
  return fault === null ? {} : { fault: JSON.parse(fault) }
}

/**
 * Condition for a payment with a field, whose pattern is the parameter. A checkout has such fields
 * deeper in its details, and they are not those of a payment.
 */
export const hasField = `kind <> ${kinds.checkout.ledgerCode} AND details LIKE ? ESCAPE '!'`

/** Returns the pattern of LIKE for a field at the first level of an object in JSON. */
export function patternOfField (field: Record<string, string>): string {
  return patternOf(JSON.stringify(field).slice(1, -1))
}

/** Returns the pattern of LIKE for a text anywhere; ! takes the meaning of a character away. */
export function patternOf (text: string): string {
  return `%${text.replace(/[!%_]/g, '!$&')}%`
}
