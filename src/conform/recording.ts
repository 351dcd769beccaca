import { readAnswer, type Reply } from './caller.ts'
import type { Contract } from './contract.ts'
import { isObject } from '../lib/json.ts'
import type { Question } from './judgement.ts'
import { showPath } from './redaction.ts'

/** Recordings of HTTP traffic in the HAR format, which browsers, proxies and API clients write. */

export interface Recorded {
  question: Question
  /** Undefined if the recording has no answer. */
  reply: Reply | undefined
}

export interface Recording {
  exchanges: Recorded[]
  /** Other requests, without personal data. */
  others: string[]
  /** Credentials, which are removed from all output. */
  secrets: string[]
}

/** Reads a recording, or returns the problem. A base address selects the requests below it. */
export function readRecording (
  text: string,
  contract: Contract,
  base: string | undefined
): Recording | string {
  const entries = parseEntries(text)
  if (typeof entries === 'string') return entries
  const recording: Recording = { exchanges: [], others: [], secrets: [] }
  for (const [index, entry] of entries.entries()) {
    const problem = readEntry(entry, `log.entries[${index}]`, recording, contract, base)
    if (problem !== undefined) return problem
  }
  return recording
}

function parseEntries (text: string): unknown[] | string {
  let har: unknown
  try {
    har = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch {
    return 'the file is not JSON; save a HAR file, in browsers with "Save all as HAR"'
  }
  const entries = isObject(har) && isObject(har.log) ? har.log.entries : undefined
  return Array.isArray(entries)
    ? entries
    : 'log.entries is missing; a HAR file is { "log": { "entries": [ … ] } }'
}

function readEntry (
  entry: unknown,
  place: string,
  recording: Recording,
  contract: Contract,
  base?: string
): string | undefined {
  if (!isObject(entry) || !isObject(entry.request)) return `${place}.request must be an object`
  const { method, url } = entry.request
  if (typeof method !== 'string') return `${place}.request.method must be a string such as "GET"`
  if (typeof url !== 'string' || !URL.canParse(url)) {
    return `${place}.request.url must be an absolute URL`
  }
  recording.secrets.push(
    ...findSecrets(entry.request.headers),
    ...findSecrets(entry.request.cookies, () => true)
  )
  const path = pathBelow(url, base)
  const operation = path === undefined ? undefined : contract.find(method, path)
  if (operation === undefined) {
    recording.others.push(
      `${/^[A-Z]{1,10}$/.test(method) ? method : '…'} ${showPath(new URL(url).pathname)}`
    )
  } else {
    recording.exchanges.push({
      question: {
        operation,
        name: `entry ${recording.exchanges.length + recording.others.length + 1}`,
        expected: [],
        hasToken: true
      },
      reply: readReply(entry.response)
    })
  }
}

function readReply (response: unknown): Reply | undefined {
  if (!isObject(response) || typeof response.status !== 'number' || response.status === 0) {
    return undefined
  }
  const { content } = response
  if (!isObject(content) || typeof content.text !== 'string') return undefined
  const text =
    content.encoding === 'base64'
      ? Buffer.from(content.text, 'base64').toString('utf8')
      : content.text
  return {
    answer: readAnswer(
      response.status,
      typeof content.mimeType === 'string' ? content.mimeType : '',
      text
    )
  }
}

/** Returns the path of a URL below the base address, or undefined for another URL. */
function pathBelow (url: string, base?: string): string | undefined {
  const { origin, pathname } = new URL(url)
  if (base === undefined) return pathname
  return `${origin}${pathname}`.startsWith(`${base}/`)
    ? `${origin}${pathname}`.slice(base.length)
    : undefined
}

const secretHeaders =
  /^(authorization|proxy-authorization|cookie|signature|x-api-key|x-momock-admin-token)$/i

function findSecrets (
  list: unknown,
  isSecret = (name: string): boolean => secretHeaders.test(name)
): string[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((header: unknown) => {
    if (!isObject(header) || typeof header.name !== 'string' || typeof header.value !== 'string') {
      return []
    }
    return isSecret(header.name) ? [header.value, header.value.replace(/^\w+ /, '')] : []
  })
}
