import type { PaymentStatus } from './requests.ts'
import type { Payment, Refusal } from './responses.ts'

/** Error of an admin call. Its message says what is wrong and how to fix it. */
export class MomockError extends Error {
  override name = 'MomockError'
  readonly status: number
  readonly code: string
  /** How to fix it. */
  readonly hint: string | undefined
  /** Statuses that a payment can be moved to, if a move was refused. */
  readonly legalMoves: PaymentStatus[] | undefined
  /** The payment, if a wait or a move failed. */
  readonly seen: Payment | undefined

  constructor (call: string, status: number, refusal: Partial<Refusal> = {}) {
    const { code, message = `answered ${status}`, hint, legalMoves, seen } = refusal
    super(`${call}: ${message}${hint === undefined ? '' : ` (${hint})`}`)
    this.status = status
    this.code = code ?? 'UNKNOWN'
    this.hint = hint
    this.legalMoves = legalMoves
    this.seen = seen
  }
}

/** Reads the error of an answer; undefined if the answer is not one of a mock. */
export function readError (text: string): Partial<Refusal> | undefined {
  try {
    const { error }: { error?: Partial<Refusal> } = JSON.parse(text)
    return error
  } catch {
    return undefined
  }
}
