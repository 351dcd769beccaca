import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import type { Test } from 'tap'
import { findBuiltProgram } from './built-program.ts'
import { folder, id, until } from './helper.ts'
import { startProgram, type Outcome, type Program } from './program.ts'
import { waitFor } from './waits.ts'

/** The server as users run it: a process of its own, seen from outside. */

export interface Where {
  env?: Record<string, string>
  cwd?: string
  /** In a shell, which waits for it and passes no signal on, as the one of npm does. */
  inShell?: boolean
}

/** Text of the log line of a server that is ready. */
export interface Ready {
  version: string
  url: string
  token: string
  ledger: string
  clock: string
  routes: { v1: number; v2: number }
  scenarios: number
  dashboard: string
  docs: string
  publicUrl?: string
  tlsUrl?: string
  ca?: string
  curl: string
  earlier?: string
  msg: string
}

export interface Answer {
  status: number
  body: any
}

export interface Running {
  ready: Ready
  process: ChildProcess
  /** Waits for the end of the process. */
  end: () => Promise<Outcome>
  /** Everything it has written to its standard output so far. */
  output: () => string
  /** Sends a signal and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<Outcome>
  call: (method: string, path: string, body?: unknown, token?: string) => Promise<Answer>
}

/**
 * The command as a shell would take it, in exactly this environment: a test must not depend on that
 * of its user.
 */
export function command (
  args: readonly string[],
  env: Record<string, string> = {}
): [string, ...string[]] {
  // Through `env`, because tap slips its own loader into every Node process that is started
  // directly.
  const pairs = Object.entries({ PATH: process.env.PATH ?? '', ...env }).map(
    ([name, value]) => `${name}=${value}`
  )
  return ['env', '-i', ...pairs, process.execPath, findBuiltProgram(), ...args]
}

/** Runs it until it ends by itself; a server that should not have started is killed. */
export function run (t: Test, args: readonly string[], where: Where = {}): Promise<Outcome> {
  const { child, prints, end } = launch(t, args, where)
  prints(readyLine).then(
    () => child.kill('SIGKILL'),
    () => {}
  )
  return end()
}

/** The line of a server that is ready. */
const readyLine = /^.*momock is ready.*(?=\n)/m

/**
 * Starts it on a free port, with its ledger in memory unless told otherwise, and waits until it is
 * ready.
 */
export async function serve (
  t: Test,
  args: readonly string[] = [],
  where: Where = {}
): Promise<Running> {
  const program = launch(t, ['--port', '0', '--db', ':memory:', ...args], where)
  const [line] = await program.prints(readyLine)
  const ready: Ready = JSON.parse(line)
  return {
    ready,
    process: program.child,
    end: program.end,
    output: () => program.written.stdout,
    stop: program.stop,
    call: (method, path, body, token = ready.token) =>
      waitFor(`${method} ${path}`, send(method, ready.url + path, body, token), () =>
        JSON.stringify(program.written)
      )
  }
}

function launch (
  t: Test,
  args: readonly string[],
  { env, cwd = folder(t), inShell = false }: Where
): Program {
  const words = command(args, env)
  return startProgram(t, inShell ? ['sh', '-c', '"$@" & wait', 'sh', ...words] : words, { cwd })
}

async function send (method: string, url: string, body: unknown, token: string): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' })
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
}

/** A deposit that will be accepted. */
export function deposit (depositId = id()): { depositId: string } & Record<string, unknown> {
  return {
    depositId,
    amount: '15',
    currency: 'ZMW',
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
    }
  }
}

/** A bare connection to a server, for what a decent client would not do. */
export async function connect (t: Test, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = createConnection(Number(port), hostname)
  socket.on('error', () => {})
  t.teardown(() => {
    socket.destroy()
  })
  await waitFor(`a connection to ${url}`, once(socket, 'connect'))
  return socket
}

/** Waits until a server takes no more connections. */
export async function refused ({ ready }: Running): Promise<void> {
  const { hostname, port } = new URL(ready.url)
  const attempt = (): Promise<string> =>
    new Promise((resolve) => {
      const socket = createConnection(Number(port), hostname)
      socket
        .on('connect', () => {
          socket.destroy()
          resolve('connected')
        })
        .on('error', ({ message }) => resolve(message))
    })
  await until(attempt, (answer) => answer !== 'connected')
}
