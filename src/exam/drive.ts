import { query } from 'jsonpath-rfc9535'
import { perform, type Outcome, type Setting } from './action.ts'
import type { DriveConfig } from './config.ts'
import type { Drive } from './evidence.ts'
import { clip } from './observe.ts'

/** Has the merchant start a payment, as a customer would. */

const longestReference = 200

/**
 * Starts one payment. An answer of the merchant is a result, not an error: the check may have
 * caused a failure.
 */
export async function drive (
  kind: string,
  config: DriveConfig,
  at: number,
  setting: Setting
): Promise<Drive> {
  const { reference, ...action } = config
  const outcome = await perform(action, setting)
  const { line, status, error, durationMs } = outcome
  const found = referenceIn(outcome, reference)
  return {
    kind,
    at,
    durationMs,
    line,
    ...(status !== undefined && { status }),
    ...(error !== undefined && { error }),
    ...('reference' in found ? found : { error: error ?? refusedWith(status) ?? found.problem })
  }
}

function refusedWith (status: number | undefined): string | undefined {
  return status === undefined || status < 400 ? undefined : `it was answered with ${status}`
}

/**
 * Returns the reference of a started payment: by JSONPath, or the only line that a command printed.
 */
function referenceIn (
  { text, line }: Outcome,
  path: string | undefined
): { reference: string } | { problem: string } {
  if (path === undefined) return plainReference(text, line)
  try {
    const found = query(JSON.parse(text), path)
    const [value] = found
    if (
      found.length === 1 &&
      (typeof value === 'string' || typeof value === 'number') &&
      value !== ''
    ) {
      return { reference: String(value) }
    }
    return { problem: `${path} finds no reference in what ${line} gave: ${clip(text)}` }
  } catch {
    return { problem: `${line} did not give JSON, but ${clip(text)}` }
  }
}

function plainReference (text: string, line: string): { reference: string } | { problem: string } {
  const reference = text.trim()
  if (reference !== '' && reference.length <= longestReference && !reference.includes('\n')) {
    return { reference }
  }
  return {
    problem:
      `${line} must print the reference of the payment on one line, got ` +
      `${clip(JSON.stringify(text))}`
  }
}
