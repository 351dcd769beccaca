import { channel } from 'node:diagnostics_channel'
import type { Logger } from 'pino'
import type { Test } from 'tap'
import pino from 'pino'
import type { App } from '../../src/app.ts'
import type { Config } from '../../src/config/config.ts'
import { serverCount } from './servers.ts'
import { compareViews, mostPayments, type Ask } from './views.ts'

/**
 * What must hold for every server that a test has started, whatever the test is about: all views of
 * a payment agree, the invariants hold, and no secret went out or stands in the log.
 */

/** Payments of an account that are looked at one by one; each costs 2 ms. */
const singly = 5
/** Characters of a problem that are printed. */
const longestText = 2000
/** Characters of a log that are kept. */
const longestLog = 1_000_000
/** A shorter token can be a part of any text. */
const shortestSecret = 8
/** A server can be in the middle of a change, and shows it in one view first. */
const attempts = 5

/** A server of a test, with what it wrote and who called it. */
export interface Watched {
  log: Logger
  lines: string[]
  tokens: Set<string>
  /** Foreign requests before it was created. */
  before: number
}

interface Sent {
  origin: string
  text: string
}

/** Origins of the servers of the tests. */
const own = new Set<string>()
/** Requests of the servers to other origins that may carry something secret. */
const foreign: Sent[] = []
/** Code of the server. Tests and the client, which send tokens where they are told to, are none. */
const serverCode = /\/(simulator|routes|src\/(?!client|cli|conform|exam)\w+)\//

channel('undici:request:create').subscribe((message) => {
  const { request } = message as {
    request: { origin: string | URL; path: string; headers: unknown; body: unknown }
  }
  const origin = String(request.origin)
  if (own.has(origin)) return
  const body = typeof request.body === 'string' ? request.body : ''
  const text = `${request.path}\n${String(request.headers)}\n${body}`
  if (serverCode.test(new Error('sent by').stack ?? '')) foreign.push({ origin, text })
})

/** Starts to watch a server that is about to be created. */
export function watch (): Watched {
  const lines: string[] = []
  let length = 0
  const write = (line: string): void => {
    if ((length += line.length) < longestLog) lines.push(line)
  }
  const log = pino({ level: 'info' }, { write })
  return { log, lines, tokens: new Set(), before: foreign.length }
}

/** Fails a test that has ended. An error thrown in a teardown would leave out the others. */
export async function report (t: Test, check: () => Promise<void>): Promise<void> {
  // What a failed test leaves behind may be in any state.
  if (!t.passing() || serverCount > 1) return
  try {
    await check()
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    console.error(`# ${t.fullname}: ${text.slice(0, longestText)}`)
    t.fail('what must hold for every server does not')
  }
}

/** Notes an address of a server: its secrets may go there. */
export function noteOrigin (url: string): void {
  own.add(new URL(url).origin)
}

function caller (app: App, config: Config, token: string): Ask {
  return async (url, method = 'GET', payload) => {
    const { statusCode, body } = await app.http.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(config.adminToken !== undefined && { 'x-momock-admin-token': config.adminToken })
      },
      payload
    })
    // A scenario can refuse calls of the API, and never those of the admin.
    if (statusCode >= 500 && url.startsWith('/__admin')) throw new Error(`${url}: ${body}`)
    if (statusCode !== 200) return undefined
    return body.startsWith('{') || body.startsWith('[') ? JSON.parse(body) : body
  }
}

/** Throws if a secret of a server went to another host, or stands in its log. */
export function checkSecrets (config: Config, { lines, tokens, before }: Watched): void {
  const log = lines.join('')
  const problems: string[] = []
  const secrets = [...tokens, config.adminToken ?? ''].filter(
    (secret) => secret.length >= shortestSecret
  )
  for (const secret of secrets) {
    if (log.includes(secret)) {
      const line = lines.find((line) => line.includes(secret))
      problems.push(`the secret ${secret} stands in the log: ${line}`)
    }
    const sent = foreign
      .slice(before)
      .find(({ origin, text }) => !own.has(origin) && text.includes(secret))
    if (sent !== undefined) problems.push(`${secret} was sent to ${sent.origin}: ${sent.text}`)
  }
  if (log.includes('PRIVATE KEY')) problems.push('a private key stands in the log')
  const [password] = /\/\/[^\s/"@:]*:(?!\*+@|\[hidden\]@)[^\s/"@]+@/.exec(log) ?? []
  if (password !== undefined) problems.push(`a password stands in the log: ${password}`)
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** Checks the accounts whose tokens a test has used. */
export async function checkAccounts (app: App, config: Config, { tokens }: Watched): Promise<void> {
  for (const token of tokens) await checkAccount(app, config, token)
}

/** Throws if the views of an account differ, or an invariant is broken. */
export async function checkAccount (app: App, config: Config, token: string): Promise<void> {
  // The test has stopped it.
  if (app.life.isStopping || !app.http.server.listening) return
  const ask = caller(app, config, token)
  const list = await ask(`/__admin/payments?order=newest&limit=${mostPayments}`)
  // The test has taken the rights of this token, or its account.
  if (list === undefined) return
  if (list.payments.length === 0) return
  await ask('/__admin/clock', 'PUT', { mode: 'frozen' })
  let problems = await compareViews(ask, singly)
  for (let n = 1; problems.length > 0 && n < attempts; n++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    problems = await compareViews(ask, singly)
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
}
