import { isObject } from '../lib/json.ts'
import { MomockError } from './errors.ts'
import type { JournalEntry } from './types.ts'

/** Most requests that a message names. */
const mostNamed = 5

/** Writes the error about requests that matched nothing, newest first. */
export function explainUnmatched (unmatched: readonly JournalEntry[]): MomockError {
  const named = unmatched.slice(0, mostNamed).map(describeRequest)
  const more = unmatched.length - named.length
  return new MomockError('onUnmatched', 0, {
    code: 'UNMATCHED',
    message:
      `${unmatched.length === 1 ? '1 request' : `${unmatched.length} requests`} had no operation ` +
      `or no account:\n${named.join('\n')}${more > 0 ? `\nand ${more} more` : ''}`
  })
}

function describeRequest ({ request: { method, url }, response }: JournalEntry): string {
  const reason = readReason(response.body)
  return `${method} ${url} ${response.status}${reason === undefined ? '' : `: ${reason}`}`
}

/** Reads the explanation in the answer of either version. */
function readReason (body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  const { failureReason, errorMessage } = body
  const message = isObject(failureReason) ? failureReason.failureMessage : errorMessage
  return typeof message === 'string' ? message : undefined
}
