import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { judgeAnswer } from '../contract/judge.ts'
import { connectMomock, type MomockClient } from '../../src/index.ts'

/** The real server as a process of its own, for harnesses that kill, starve and flood it. */

export interface Answer<Body> {
  status: number
  body: Body
}

/** What is said beside the method, the path and the body. */
export interface CallOptions {
  token?: string
  headers?: Record<string, string>
}

export interface Running {
  url: string
  port: number
  pid: number
  /** How it ended, once it has. */
  ended: Promise<Ending>
  /** Sends a signal and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<Ending>
  /** A request to the API; the token is that of the default account unless another is named. */
  call: <Body>(
    method: string,
    path: string,
    body?: unknown,
    options?: CallOptions
  ) => Promise<Answer<Body>>
  /** The admin API as the account of a token. */
  as: (token: string) => MomockClient
  /** Everything it has written so far, to both streams. */
  log: () => string
}

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface StartOptions {
  /** The ledger's file. */
  db: string
  /** More flags. */
  args?: readonly string[]
  env?: Record<string, string>
  /** Flags of Node itself. */
  nodeArgs?: readonly string[]
  /** A command that runs it, such as `sh -c 'ulimit -n 40; exec "$@"' sh`. */
  within?: readonly string[]
}

const mainFile = fileURLToPath(new URL('../../src/main.js', import.meta.url))
/** A start takes half a second; on a busy machine it may take much longer. */
const longestStartMs = 60_000
/** No answer takes longer, unless the server hangs. */
const longestAnswerMs = 30_000
const running = new Set<{ kill: (signal: NodeJS.Signals) => boolean }>()

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Starts the server and waits until it says that it is ready. */
export async function startServer (options: StartOptions): Promise<Running> {
  const { db, args = [], env = {}, nodeArgs = [], within = [] } = options
  const port = args.includes('--port') ? Number(args[args.indexOf('--port') + 1]) : 0
  const variables = Object.entries({ PATH: process.env.PATH ?? '', ...env })
  // Through `env -i`: tap adds its own loader to every Node process that is started directly.
  const [file, ...rest] = [
    'env',
    '-i',
    ...variables.map(([name, value]) => `${name}=${value}`),
    ...within,
    process.execPath,
    ...nodeArgs,
    mainFile,
    'start',
    ...(port === 0 ? ['--port', '0'] : []),
    '--db',
    db,
    ...args
  ]
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  let text = ''
  const { promise: ready, resolve: announce } = Promise.withResolvers<string>()
  const hear = (chunk: string): void => {
    text += chunk
    const line = text
      .split('\n')
      .slice(0, -1)
      .find((line) => line.includes('momock is ready'))
    if (line !== undefined) announce(urlIn(line))
  }
  child.stdout.setEncoding('utf8').on('data', hear)
  child.stderr.setEncoding('utf8').on('data', hear)
  const ended = once(child, 'close').then(([code, signal]): Ending => {
    running.delete(child)
    return { code, signal }
  })
  const failed = ended.then(({ code, signal }) => {
    throw new Error(`the server ended with ${code ?? signal} before it was ready: ${text}`)
  })
  const url = await Promise.race([ready, failed, timeLimit(longestStartMs, 'a start')])
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    ended,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return ended
    },
    call: (method, path, body, options) => callApi(url, method, path, body, options),
    as: (token) => connectMomock(url, token),
    log: () => text
  }
}

function urlIn (line: string): string {
  const { url }: { url: string } = JSON.parse(line)
  return url
}

/** One request with a JSON answer. */
async function callApi<Body> (
  url: string,
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {}
): Promise<Answer<Body>> {
  const { token = 'test-token', headers = {} } = options
  const answer = await request(url + path, {
    method: methodOf(method),
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers
    },
    headersTimeout: longestAnswerMs,
    bodyTimeout: longestAnswerMs,
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await answer.body.text()
  if (text === '') return { status: answer.statusCode, body: undefined as Body }
  const told: Body = JSON.parse(text)
  const breach = judgeAnswer(method, path, answer.statusCode, told)
  if (breach !== undefined) throw new Error(`${method} ${path} breaks the contract: ${breach}`)
  return { status: answer.statusCode, body: told }
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

function methodOf (name: string): (typeof methods)[number] {
  const method = methods.find((method) => method === name)
  if (method === undefined) throw new Error(`no method ${name}`)
  return method
}

/** Fails after a while. */
export async function timeLimit (ms: number, what: string): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, ms).unref())
  throw new Error(`${what} took longer than ${ms} ms`)
}

/** Asks until the answer is the one wanted. */
export async function until<T> (
  ask: () => Promise<T> | T,
  wanted: (value: T) => boolean,
  limitMs = 20_000
): Promise<T> {
  for (const end = Date.now() + limitMs; ;) {
    const value = await ask()
    if (wanted(value)) return value
    if (Date.now() > end) {
      throw new Error(`still ${JSON.stringify(value)?.slice(0, 500)} after ${limitMs} ms`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
