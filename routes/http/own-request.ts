/** Requests to the payments API of this server, as the merchant sends them. */

/** Status of a request without an answer. */
const noAnswerStatus = 504

/** Time for an answer of the payments API: a scenario can delay it, or never send it. */
const longestWaitMs = 30_000

/**
 * Sends a request by HTTP, always to this server: the path comes from a stranger, and a URL would
 * take another host from `//host/x`, and another path from `/v2/../__admin/reset`.
 */
export async function sendRequest (
  base: string,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  headers: Record<string, string>,
  body: string | undefined
): Promise<{ status: number; body: unknown }> {
  try {
    const signal = AbortSignal.timeout(longestWaitMs)
    const { getGlobalDispatcher } = await import('undici')
    const { origin } = new URL(base)
    const call = { origin, path, method, headers, body, signal, reset: true }
    const answer = await getGlobalDispatcher().request(call)
    return { status: answer.statusCode, body: readBody(await answer.body.text()) }
  } catch (error) {
    const { message, cause } = error as Error
    const reason = cause instanceof Error ? cause.message : message
    return { status: noAnswerStatus, body: `there was no answer: ${reason}` }
  }
}

/** Reads an answer. A scenario can break off the JSON of the payments API. */
export function readBody (text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
