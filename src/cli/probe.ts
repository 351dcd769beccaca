import { explainNoAnswer } from '../lib/no-answer.ts'

/** Result of a request that checks which server answers at an address. */
export interface ProbeResult {
  status?: number
  body?: unknown
  /** Date header of the answer. */
  date?: string
  /** Reason for a missing answer, and the error code. */
  problem?: string
  code?: string
}

/** Sends one request and waits for the answer, but not longer than the timeout. */
export async function probeServer (
  url: string,
  timeoutMs: number,
  method = 'GET'
): Promise<ProbeResult> {
  try {
    const target = new URL(url)
    // `fetch` refuses a URL with a password, and any answer is enough here.
    target.username = target.password = ''
    const response = await fetch(target, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs)
    })
    const text = await response.text()
    return {
      status: response.status,
      body: parseJson(text),
      date: response.headers.get('date') ?? undefined
    }
  } catch (error) {
    return explainNoAnswer(error, timeoutMs)
  }
}

/** Returns true if a mock answered GET /health. */
export function isMomock ({ status, body }: ProbeResult): boolean {
  return (
    status === 200 &&
    typeof body === 'object' &&
    body !== null &&
    'status' in body &&
    body.status === 'healthy' &&
    'version' in body
  )
}

/** Parses JSON. Other texts are returned unchanged. */
function parseJson (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
