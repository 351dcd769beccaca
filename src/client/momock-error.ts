import type { Payment, Refusal } from './responses.ts'

/** An admin call that was refused; the message says why, and what to do about it. */
export class MomockError extends Error {
  override name = 'MomockError'
  readonly status: number
  readonly code: string
  /** What to do about it. */
  readonly hint: string | undefined
  /** Where a payment can go, if it could not be moved to where it was to. */
  readonly legalMoves: string[] | undefined
  /** The payment as it was seen last, if it was waited for in vain or could not be moved. */
  readonly seen: Payment | undefined

  constructor (
    call: string,
    status: number,
    {
      code = 'UNKNOWN',
      message = `answered ${status}`,
      hint,
      legalMoves,
      seen
    }: Partial<Refusal> = {}
  ) {
    super(`${call}: ${message}${hint === undefined ? '' : ` (${hint})`}`)
    this.status = status
    this.code = code
    this.hint = hint
    this.legalMoves = legalMoves
    this.seen = seen
  }
}

/** What an answer says of why it was refused; nothing, if it is not one of ours. */
export function readError (text: string): Partial<Refusal> | undefined {
  try {
    return (JSON.parse(text) as { error?: object }).error
  } catch {
    return undefined
  }
}
