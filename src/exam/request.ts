import { check, type Check, type Judgement } from './check.ts'
import type { DriveName } from './config.ts'
import { failed, gravest, passed, review } from './judging.ts'
import type { JournalEntry } from './mock.ts'

/** REQ: requests of the merchant to the API. */

const driven: readonly DriveName[] = ['deposit', 'payout', 'checkout']

const correct = check({
  id: 'REQ-01',
  title: 'wrong host, path, body, provider code, decimals or message',
  proves: 'requests follow the reference of the API',
  requirement: {
    rule: 'Requests follow the reference of the API, in one version.',
    source: 'API rules'
  },
  severity: 'medium',
  depth: [1],
  needs: ['deposit'],
  does:
    'Every kind that can be driven is started once. The journal is searched for requests that ' +
    'led nowhere or were refused.',
  shouldBe: 'Every request is understood, and every initiation accepted.',
  why: 'What the mock refuses, the service refuses too, in front of a customer.',
  fix: 'Change the request as the message says.',
  stage: async (bench) => {
    await bench.hold()
    for (const name of driven) if (bench.canDrive(name)) await bench.drive(name)
    await bench.settle()
    return {}
  },
  judge: (_, { journal }): Judgement => {
    if (journal.length === 0) return review('no request arrived at the mock')
    const wrong = journal.filter(isWrong)
    if (wrong.length === 0) return passed(`${journal.length} requests were understood`)
    const [first] = wrong
    const more = wrong.length > 1 ? ` (and ${wrong.length - 1} more)` : ''
    return failed(
      `${first.request.method} ${first.request.path} was answered HTTP ` +
        `${first.response.status}: ${reasonOf(first)}${more}`
    )
  }
})

/** A request that led nowhere, was refused, or was rejected. */
function isWrong ({ matched, response }: JournalEntry): boolean {
  return (
    !matched ||
    (response.status >= 400 && response.status < 500) ||
    JSON.stringify(response.body ?? '').includes('"REJECTED"')
  )
}

/** Answer of the API, with the nearest correct request if there is one. */
export function reasonOf ({ response: { body }, notes = [] }: JournalEntry): string {
  const said = textIn(body, ['failureMessage', 'rejectionMessage', 'errorMessage', 'message'])
  return [said ?? JSON.stringify(body ?? 'no body'), ...notes].join('; ')
}

function textIn (value: unknown, names: readonly string[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, item] of Object.entries(value)) {
    if (names.includes(name) && typeof item === 'string') return item
    const inner = textIn(item, names)
    if (inner !== undefined) return inner
  }
}

/** Headers that only a browser sends. Some servers send Sec-Fetch-Mode, but none of these. */
const browserHeaders = ['origin', 'sec-fetch-site', 'sec-fetch-dest', 'sec-ch-ua']
const browserAgent = /Mozilla\/|Dalvik\/|CFNetwork\//
/** Agent of apps, and of servers that are written in Dart. */
const appAgent = /Dart\//
const secretParameter = /[?&](secret|api_?key|password|access_token)=/i
/** Parameter that may be a secret, or a key of one order. */
const tokenParameter = /[?&]token=/i

const token = check({
  id: 'REQ-02',
  title: 'the API token is where customers see it',
  proves: 'the API token stays on the server',
  requirement: {
    rule: 'The API token stays on the server. No URL carries a secret.',
    source: 'API rules'
  },
  severity: 'critical',
  depth: [1],
  needs: ['deposit'],
  does:
    'A deposit is started. The journal is searched for calls by a browser or an app, and URLs ' +
    'for tokens and secrets.',
  shouldBe: 'Only servers call the API, and no URL holds a token or a secret.',
  why: 'Whoever reads the token from an app or a log can pay money out of the account.',
  fix: 'Call the API from your server. Give a new token out, and take the old one back.',
  stage: async (bench) => {
    await bench.hold()
    await bench.drive()
    return { callback: bench.callback, token: bench.mock.token }
  },
  judge: ({ callback, token }, { journal }): Judgement => {
    const { username, password } = new URL(callback)
    const isSecret =
      callback.includes(token) ||
      secretParameter.test(callback) ||
      tokenParameter.test(callback) ||
      username !== '' ||
      password !== ''
    if (!isSecret && journal.length === 0) return review('no request arrived at the mock')
    return gravest([
      isSecret
        ? failed(
          'the callback URL holds a token or a secret; the signature is what proves a callback'
        )
        : passed('only a server called the API, and no URL held a secret'),
      ...journal.flatMap((entry) => judgeSender(entry, token) ?? [])
    ])
  }
})

/** Judges a request that customers can read, or that shows them a secret. */
function judgeSender ({ request }: JournalEntry, token: string): Judgement | undefined {
  const { headers, method, path, body, url } = request
  const line = `${method} ${path}`
  const header = browserHeaders.find((name) => headers[name] !== undefined)
  if (header !== undefined) {
    return failed(`${line} came from a browser: it has the header ${header}`)
  }
  const agent = String(headers['user-agent'] ?? '')
  if (browserAgent.test(agent)) {
    return failed(`${line} came from a browser or an app: its agent is ${agent}`)
  }
  const text = `${url} ${JSON.stringify(body ?? '')}`
  if (text.includes(token)) return failed(`the URL or the body of ${line} holds the API token`)
  if (secretParameter.test(text)) return failed(`a URL in ${line} holds a secret`)
  if (tokenParameter.test(text)) {
    return review(
      `a URL in ${line} holds a token; that is right if it opens one order only, and nothing else`
    )
  }
  return appAgent.test(agent)
    ? review(`${line} came with the agent ${agent}; that is right for a server, not for an app`)
    : undefined
}

/** Checks of requests, in the order of the catalogue. */
export const requestChecks: readonly Check[] = [correct, token]
