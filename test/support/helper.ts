import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import type { Test } from 'tap'
import { Pool } from 'undici'
import { createApp, type App } from '../../src/app.ts'
import type { ApiOptions } from '../../src/build/api.ts'
import type { SystemClock } from '../../src/lib/clock.ts'
import type { Config } from '../../src/config/config.ts'
import { defaults } from '../../src/config/config.ts'
import { TlsListener } from '../../routes/http/tls-listener.ts'
import { joinServers, serverCount } from './servers.ts'
import { certificateFor } from './certificates.ts'
import { judgeAnswer, judgeCallback, readCallback } from '../contract/judge.ts'
import { contract, type Contract } from './contract.ts'
import { documentOf } from './document.ts'
import { checkAccounts, checkSecrets, noteOrigin, report, watch } from './oracles.ts'
import { placeLedger } from './postgres.ts'
import { Queue, waitFor, waitLimitMs } from './waits.ts'

/** A machine whose time stands still until the test moves it. */
export interface TestMachine extends SystemClock {
  time: number
}

/** Time of the machines of tests that name no other. */
export const testStart = '2026-01-31T12:00:00.250Z'

export function testMachine (start = testStart): TestMachine {
  const systemClock = { time: Date.parse(start), now: () => systemClock.time }
  return systemClock
}

/** Asks until the answer is the one wanted. */
export async function until<T> (ask: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  for (const end = Date.now() + waitLimitMs; ;) {
    const value = await ask()
    if (wanted(value)) return value
    if (Date.now() > end) {
      throw new Error(`after ${waitLimitMs / 1000} s it is still ${JSON.stringify(value)}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  body: any
}

/** One request. What it answers must be as documented. */
export type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>
) => Promise<Answer>

/** An account of a server. */
export interface Client {
  /** Address of the server's listener. */
  url: string
  /** Calls as this account, unless headers say otherwise. */
  call: Call
}

/** What is checked when a test ends. */
export interface Oracles {
  /** Why its accounts are not, such as a ledger that the test breaks. */
  uncheckedBecause?: string
}

/** A server, with its default account. */
export interface Mock extends Client {
  app: App
  config: Config
  /** Returns calls as the account of a token, whose problems fail another test. */
  callAs: (t: Test, token: string) => Call
}

let documented: Promise<Contract> | undefined

/** The document is the same for all settings, so it is fetched once. */
async function contractOf (app: App): Promise<Contract> {
  return await (documented ??= documentOf(app).then(contract))
}

/** Switch of the fast path in all tests; without-fast-path.test.ts sets it for a second run. */
export const fastPath = process.env.TEST_FAST_PATH !== 'off'

/** Way of all calls of the tests; test/groups/http2.test.ts sets it for a second run. */
export const transport = process.env.TEST_TRANSPORT
const certificates = transport === undefined ? undefined : await certificateFor(['127.0.0.1'])

/**
 * Starts a whole server in this process, with its ledger in memory and a real listener, and closes
 * it when the test ends. `npm run test:replicas` starts several servers and a balancer instead.
 */
export async function build (
  t: Test,
  options: Partial<Config> = {},
  systemClock: SystemClock = { now: () => Date.now() },
  apiOptions: ApiOptions & Oracles = {}
): Promise<Mock> {
  const db = await placeLedger(t, options.db ?? ':memory:')
  const config = { ...defaults(), ...options, db } as Config
  if (serverCount === 1) {
    return await startServer(t, config, systemClock, apiOptions)
  }
  const apps: App[] = []
  // Whatever host a test is about, its servers listen there.
  const shared = { ...config, peerHost: '127.0.0.1' }
  for (let n = 0; n < serverCount; n++) {
    apps.push((await startServer(t, shared, systemClock, apiOptions)).app)
  }
  const { app, url } = await joinServers(t, apps)
  const pool = new Pool(url)
  t.teardown(() => pool.destroy())
  const callAs = (t: Test, token: string): Call => createCall(t, app, token, pool)
  return { app, config, url, call: callAs(t, config.token), callAs }
}

/** Starts a server in this process. */
async function startServer (
  t: Test,
  config: Config,
  systemClock: SystemClock,
  { uncheckedBecause, ...apiOptions }: ApiOptions & Oracles
): Promise<Mock> {
  let tls: TlsListener | undefined
  const watched = watch()
  const app = await createApp(config, systemClock, watched.log, {
    fastPath,
    ...apiOptions,
    extend: (http) => {
      apiOptions.extend?.(http)
      if (certificates === undefined) return
      tls = new TlsListener(http.server, certificates.server, { fastPath, ...apiOptions })
      http.addHook('preClose', async () => tls?.stop())
    }
  })
  t.teardown(async () => {
    await report(t, async () => {
      checkSecrets(config, watched)
      if (uncheckedBecause === undefined) await checkAccounts(app, config, watched)
    })
    await app.close()
  })
  const url = await app.http.listen({ port: 0, host: '127.0.0.1' })
  await app.start(Number(new URL(url).port))
  noteOrigin(url)
  app.links.listening = url
  const pool = tls === undefined ? new Pool(url) : await poolOf(tls)
  t.teardown(() => pool.destroy())
  const callAs = (t: Test, token: string): Call => {
    watched.tokens.add(token)
    return createCall(t, app, token, pool)
  }
  return { app, config, url, call: callAs(t, config.token), callAs }
}

/**
 * Creates the function that sends requests and compares the answers with the document and with the
 * vendor's contract.
 */
function createCall (t: Test, app: App, token: string, pool: Pool): Call {
  return async (method, path, body, headers = {}) => {
    const sent = send(pool, method, path, body, {
      authorization: `Bearer ${token}`,
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers
    })
    const answer = await waitFor(`${method} ${path}`, sent)
    const type = String(answer.headers['content-type'] ?? '')
    const what = `${method} ${path.slice(0, 100)}`
    const problem = (await contractOf(app)).answer(method, path, answer.status, type, answer.body)
    if (problem !== undefined) t.fail(`${what} is not as documented: ${problem}`)
    const breach =
      answer.body === undefined ? undefined : judgeAnswer(method, path, answer.status, answer.body)
    if (breach !== undefined) t.fail(`${what} breaks the contract of the vendor: ${breach}`)
    return answer
  }
}

/** Connections to the TLS listener, with HTTP/1.1 or HTTP/2. */
async function poolOf (tls: TlsListener): Promise<Pool> {
  const port = await tls.listen(0, '127.0.0.1')
  return new Pool(`https://127.0.0.1:${port}`, {
    allowH2: transport === 'http2',
    connect: { ca: certificates?.authority }
  })
}

async function send (
  pool: Pool,
  method: string,
  path: string,
  body: unknown,
  headers: Record<string, string>
): Promise<Answer> {
  const payload =
    body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
      ? body
      : JSON.stringify(body)
  const response = await pool.request({
    method: method as 'GET',
    path: path.replace(/[^\x21-\x7e]+/g, encodeURIComponent),
    headers,
    body: payload
  })
  const text = await response.body.text()
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
  return {
    status: response.statusCode,
    headers: response.headers,
    body: text === '' ? undefined : isJson ? JSON.parse(text) : text
  }
}

/** Compares a callback with the document and with the vendor's contract. */
export async function checkCallback (t: Test, body: any): Promise<void> {
  const problem = (await documented)?.callback(body)
  if (problem !== undefined) t.fail(problem)
  const breach = judgeCallback(...readCallback(body), body)
  if (breach !== undefined) t.fail(`a callback breaks the contract of the vendor: ${breach}`)
}

export interface Callback {
  headers: IncomingHttpHeaders
  body: any
}

/**
 * A merchant's server that keeps what it is sent, and answers with the given statuses in turn, then
 * 200. Each callback is the next one once, in the order in which they came.
 */
export async function receiver (
  t: Test,
  answers: number[] = []
): Promise<{ url: string; next: () => Promise<Callback>; received: Callback[] }> {
  const received: Callback[] = []
  const queue = new Queue<Callback>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const callback = {
      headers: request.headers,
      body: JSON.parse(Buffer.concat(chunks).toString())
    }
    response.writeHead(answers.shift() ?? 200).end()
    await checkCallback(t, callback.body)
    received.push(callback)
    queue.add(callback)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    next: () => waitFor('a callback', queue.take(), () => `received: ${JSON.stringify(received)}`),
    received
  }
}

/** A receiver that answers only when it is told to. */
export async function patient (t: Test): Promise<{
  url: string
  next: () => Promise<{ body: any; answer: (status: number) => void; cut: Promise<unknown> }>
}> {
  const arrived = new Queue<{ response: ServerResponse; body: any }>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    await checkCallback(t, body)
    arrived.add({ response, body })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    next: async () => {
      const { response, body } = await waitFor('a callback', arrived.take())
      return {
        body,
        answer: (status) => {
          response.writeHead(status).end()
        },
        cut: once(response, 'close')
      }
    }
  }
}

/** A folder that goes with the test. */
export function folder (t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'momock-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return path
}

export const id = (): string => randomUUID()
