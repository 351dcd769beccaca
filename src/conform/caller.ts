import { explainNoAnswer } from '../lib/no-answer.ts'
import { showUrl } from './redaction.ts'

/** HTTP requests to an unknown server: limited in time and size, without following redirects. */

/** Size limit of an answer: more than ten times the longest public active configuration. */
const largestAnswer = 8 * 1024 * 1024

export interface HttpRequest {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

/** Answer of a server. */
export interface Answer {
  status: number
  contentType: string
  /** Parsed body, if it is JSON. */
  body?: unknown
  isJson: boolean
}

/** Answer to a request, or the reason why there is none. */
export type Reply = { answer: Answer } | { problem: string; isTimeout?: true }

/** Sends one request. Returns a problem instead of throwing. */
export async function sendRequest (
  { method, url, headers, body }: HttpRequest,
  timeoutMs: number
): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body !== undefined && { body })
    })
    const location = response.headers.get('location')
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      return {
        problem: `the server redirects (${response.status}) to ${showLocation(location, url)}`
      }
    }
    const text = await readText(response)
    if (text === undefined) {
      return { problem: `the answer is larger than ${largestAnswer / 1024 / 1024} MiB` }
    }
    return { answer: readAnswer(response.status, response.headers.get('content-type') ?? '', text) }
  } catch (error) {
    const { problem, code } = explainNoAnswer(error, timeoutMs)
    return { problem, ...(code === 'TIMEOUT' && { isTimeout: true }) }
  }
}

/** Builds an answer from its parts. */
export function readAnswer (status: number, contentType: string, text: string): Answer {
  const media = contentType.split(';', 1)[0].trim().toLowerCase()
  if (!/^application\/([\w.-]+\+)?json$/.test(media)) {
    return { status, contentType: media, isJson: false }
  }
  try {
    const body: unknown = JSON.parse(text)
    return { status, contentType: media, body, isJson: true }
  } catch {
    return { status, contentType: media, isJson: false }
  }
}

function showLocation (location: string | null, url: string): string {
  return location === null ? 'nowhere' : showUrl(new URL(location, url).href)
}

/** Reads the text of a response, or returns undefined if it is too large. */
async function readText (response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    // Leaving the loop cancels the rest of the stream.
    if (size > largestAnswer) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
