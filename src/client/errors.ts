import type { Static } from '@sinclair/typebox'
import type { AdminErrorAnswer, ErrorCode } from '../admin-api/errors.ts'
import type { Payment, PaymentStatus } from '../admin-api/payments.ts'
import type { NearestCandidate, VerifyResult } from '../admin-api/verify.ts'

/** Code of an error: of the admin API, `UNREACHABLE` without an answer, or `UNMATCHED`. */
export type MomockErrorCode = ErrorCode | 'UNREACHABLE' | 'UNMATCHED' | 'UNKNOWN'

/** Error of an admin call. */
export interface Refusal extends Pick<
  Static<typeof AdminErrorAnswer>['error'],
  'code' | 'message' | 'hint'
> {
  /** Statuses that a payment can be moved to, if a move was refused. */
  legalMoves?: PaymentStatus[]
  /** The payment, if a wait or a move failed. */
  seen?: Payment
  /** The nearest candidate, if a wait for an event was in vain. */
  nearest?: NearestCandidate
}

/** Fields of an error. */
type ErrorFields = Partial<Omit<Refusal, 'code'> & { code: MomockErrorCode }>

/** Error of an admin call. Its message says what is wrong and how to fix it. */
export class MomockError extends Error {
  override name = 'MomockError'
  /** Status of the answer; 0 if there was none. */
  readonly status: number
  /** Kind of error. */
  readonly code: MomockErrorCode
  /** How to fix it. */
  readonly hint: string | undefined
  /** Statuses that a payment can be moved to, if a move was refused. */
  readonly legalMoves: PaymentStatus[] | undefined
  /** The payment, if a wait or a move failed. */
  readonly seen: Payment | undefined
  /** The nearest candidate, if a wait for a request, a callback or a payment was in vain. */
  readonly nearest: NearestCandidate | undefined

  constructor (call: string, status: number, fields: ErrorFields = {}, options?: ErrorOptions) {
    const { code, message = `answered ${status}`, hint, legalMoves, seen, nearest } = fields
    super(`${call}: ${message}${hint === undefined ? '' : ` (${hint})`}`, options)
    this.status = status
    this.code = code ?? 'UNKNOWN'
    this.hint = hint
    this.legalMoves = legalMoves
    this.seen = seen
    this.nearest = nearest
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

type Failed = VerifyResult['failed']

/** Expectations that were not met. The message has the nearest candidate and its differences. */
export class ExpectationFailed extends Error {
  override readonly name = 'ExpectationFailed'
  /** The expectations that were not met. */
  readonly failed: Failed

  constructor (message: string, failed: Failed) {
    super(message)
    this.failed = failed
  }
}
