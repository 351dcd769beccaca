import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** A server under measurement, in a process of its own. */
export interface Server {
  url: string
  /** Address of the TLS listener, if it has one. */
  tlsUrl?: string
  /** Certificate that a client of the URL must trust. */
  ca?: string
  /** The processor time it has used so far, in milliseconds; 0 where the system does not tell. */
  cpu: () => number
  /** Its resident memory, in MiB; 0 where the system does not tell. */
  memory: () => number
  /** The bytes it has written to disk so far; 0 where the system does not tell. */
  written: () => number
  stop: () => Promise<void>
  /** Ends it at once. */
  kill: () => Promise<void>
}

const source = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** Processors of the servers and of the load, once they are pinned. */
let cores: number[] = []

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** The command line of the bare server. */
export const bareServer = (port: number): string[] => [source('./bare.js'), String(port)]

/** The command line of the minimal store, with its database. */
export const storeServer = (port: number, db: string): string[] => [
  source('./store.js'),
  String(port),
  db
]

/** The program of momock, run from its source as `npm start` does. */
const sourceProgram = source('../src/main.js')

/** The command line of momock, run from its source or from a build. */
export const momockServer = (
  port: number,
  db: string,
  clock: 'frozen' | 'running',
  program = sourceProgram
): string[] => [
  program,
  '--port',
  String(port),
  '--host',
  '127.0.0.1',
  '--db',
  db,
  '--clock',
  clock,
  '--token',
  'test-token',
  '--log-level',
  'info'
]

/** The same with a TLS listener; the certificate authority is in the folder. */
export const tlsServer = (port: number, db: string, folder: string): string[] => [
  ...momockServer(port, db, 'frozen'),
  '--tls-port',
  '0',
  '--tls-dir',
  folder
]

/**
 * The command line of a process that starts one of them inside itself, as a test does; momock from
 * its source or from a built file.
 */
export const insideProcess = (which: 'momock' | 'bare', file?: string): string[] => [
  source('./inside.ts'),
  '0',
  which,
  ...(file === undefined ? [] : [file])
]

/**
 * Leaves the first core to the servers and moves this process, which makes the load, to the second;
 * says whether it could.
 */
export function pinSelf (): boolean {
  cores = allowedCores()
  if (cores.length === 0) return false
  execFileSync('taskset', ['-a', '-p', '-c', String(cores[1]), String(process.pid)])
  return true
}

/** Starts a process on the core of the servers: of Node, or of another program. */
export function launch (
  args: string[],
  program = process.execPath,
  cwd?: string
): ChildProcess {
  const command = [
    ...(cores.length === 0 ? [] : ['taskset', '-c', String(cores[0])]),
    program,
    ...args
  ]
  const child = spawn(command[0], command.slice(1), {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: environment(),
    cwd
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Starts a server and waits for the line that says where it listens. */
export async function serve (args: string[]): Promise<Server> {
  const child = launch(args)
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    const { url, tlsUrl } = JSON.parse(line) as { url?: string; tlsUrl?: string }
    if (url === undefined) continue
    child.stdout?.resume()
    const pid = child.pid ?? 0
    return {
      url,
      tlsUrl,
      cpu: () => cpuOfThreads(pid),
      memory: () => memoryOf(pid),
      written: () => writtenBy(pid),
      stop: () => stop(child),
      kill: () => stop(child, 'SIGKILL')
    }
  }
  throw new Error(`${args[0]} ended before it listened`)
}

/** Ends a process and waits until it is gone. */
export async function stop (
  child: ChildProcess,
  signal: NodeJS.Signals = 'SIGTERM'
): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

/** Two cores this process may use; none, where `taskset` does not exist or there is only one. */
function allowedCores (): number[] {
  try {
    const list =
      /: (\S+)\s*$/.exec(
        execFileSync('taskset', ['-p', '-c', String(process.pid)], { encoding: 'utf8' })
      )?.[1] ?? ''
    const all = list.split(',').flatMap((range) => {
      const [first, last = first] = range.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, i) => first + i)
    })
    return all.length < 2 ? [] : all.slice(0, 2)
  } catch {
    return []
  }
}

/** The user and system time of a process, which Linux counts in hundredths of a second. */
export function cpuOf (pid: number): number {
  const [user = 0, system = 0] = readStat(String(pid)).slice(11)
  return (Number(user) + Number(system)) * 10
}

/**
 * The processor time of the threads of a process, in milliseconds, exact to the microsecond. Those
 * that have ended do not count.
 */
export function cpuOfThreads (pid: number): number {
  let sum = 0
  try {
    for (const one of readdirSync(`/proc/${pid}/task`)) sum += readRunTime(`${pid}/task/${one}`)
  } catch {
    // The system does not tell.
  }
  // Some systems do not count so exactly.
  return sum > 0 ? sum : cpuOf(pid)
}

/**
 * The processor time of a process and of all that it has started, except some, in milliseconds.
 * Those that it has started have one thread each.
 */
export function cpuOfFamily (pid: number, except: readonly number[] = []): number {
  let total = 0
  for (const one of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = readStat(one)
    if (Number(one) === pid) {
      // With the processes that it has started and that have ended.
      for (const field of fields.slice(11, 15)) total += Number(field) * 10
    } else if (Number(fields[1]) === pid && !except.includes(Number(one))) {
      total += readRunTime(one)
    }
  }
  return total
}

/** Returns the processor time of a thread, or 0 if it has ended. */
function readRunTime (path: string): number {
  try {
    return Number.parseInt(readFileSync(`/proc/${path}/schedstat`, 'utf8')) / 1e6
  } catch {
    return 0
  }
}

/** Returns the fields of a process after its name; none if it has ended. */
function readStat (pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
  } catch {
    return []
  }
}

/** The bytes that a process has written to disk. */
export function writtenBy (pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/io`, 'utf8')
    return Number(/^write_bytes: (\d+)$/m.exec(text)?.[1] ?? 0)
  } catch {
    return 0
  }
}

/** The resident memory of a process in MiB. */
export function memoryOf (pid: number): number {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib ?? 0) / 1024
  } catch {
    return 0
  }
}

/**
 * The environment without what would change the settings of momock or hook into the start of Node,
 * as test runners do.
 */
function environment (): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(MOMOCK_|TAP|NODE_OPTIONS$|NODE_V8_COVERAGE$|PORT$|HOST$)/.test(name)
    )
  )
}
