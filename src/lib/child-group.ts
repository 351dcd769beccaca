import { spawn, type ChildProcess } from 'node:child_process'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from './clock.ts'

/** A shell command in a process group of its own: the shell and all that it starts. */

const isWindows = process.platform === 'win32'
const lookMs = 20
/** Time for the group to end after SIGTERM, and then after SIGKILL. */
const politeMs = 3000
const killedMs = 1000
/**
 * After the end of a process its output can still be in the pipe. Each turn of the event loop reads
 * all that is there; a process in the background may write on, so the turns are counted.
 */
const drainTurns = 10

/** Groups that end with this process, however it ends; the terminal does not reach them. */
const groups = new Set<ChildGroup>()
let isHooked = false

export interface ChildGroupOptions {
  folder: string
  env: Record<string, string | undefined>
  onOutput: (text: string, stream: 'stdout' | 'stderr') => void
}

export class ChildGroup {
  readonly #child: ChildProcess
  readonly #ended: Promise<number | string>
  #end: number | string | undefined

  constructor (command: string, { folder, env, onOutput }: ChildGroupOptions) {
    this.#child = spawn(command, {
      shell: true,
      detached: !isWindows,
      windowsHide: true,
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe']
    })
    for (const stream of ['stdout', 'stderr'] as const) {
      this.#child[stream]?.setEncoding('utf8').on('data', (text: string) => onOutput(text, stream))
    }
    this.#ended = new Promise((resolve) => {
      const end = (outcome: number | string): void => {
        this.#end = outcome
        resolve(outcome)
      }
      this.#child.on('error', (error) => end(error.message))
      // Not 'close': a process in the background can hold the pipes open for ever.
      this.#child.on('exit', (code, signal) => end(code ?? signal ?? 'unknown'))
    })
    groups.add(this)
    if (!isHooked) process.on('exit', killAll)
    isHooked = true
  }

  /** Exit code of the shell, its signal, or why it was not started; undefined while it runs. */
  get end (): number | string | undefined {
    return this.#end
  }

  /** Is a process of the group left? The shell may have ended before its children. */
  get isAlive (): boolean {
    if (this.#child.pid === undefined) return false
    return isWindows ? this.#end === undefined : send(-this.#child.pid, 0)
  }

  /** Waits for the end of the shell, and for what it has written. */
  async wait (): Promise<number | string> {
    const end = await this.#ended
    for (let turn = 0; turn < drainTurns; turn++) await nextTurn()
    return end
  }

  /** Leaves what is in the background alone: it may be a database that a command has started. */
  release (): void {
    groups.delete(this)
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      // The stream is read on, because a service with a closed output may end.
      if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref()
    }
  }

  /** Kills the group at once. */
  kill (): void {
    this.#signal('SIGKILL')
    this.#forget()
  }

  /** Ends the group: politely first. */
  async stop (): Promise<void> {
    this.#signal('SIGTERM')
    await this.#waitForEnd(politeMs)
    if (this.isAlive) this.#signal('SIGKILL')
    await this.#waitForEnd(killedMs)
    this.#forget()
  }

  async #waitForEnd (ms: number): Promise<void> {
    const deadline = systemClock.now() + ms
    while (this.isAlive && systemClock.now() < deadline) await sleep(lookMs)
  }

  #forget (): void {
    groups.delete(this)
    // A process that left the group may hold the pipes.
    this.#child.stdout?.destroy()
    this.#child.stderr?.destroy()
  }

  #signal (name: NodeJS.Signals): void {
    const { pid } = this.#child
    if (pid === undefined) return
    if (!isWindows) send(-pid, name)
    // Windows has no groups of processes, and no signals.
    else spawn('taskkill', ['/pid', String(pid), '/T', '/F']).on('error', () => {})
  }
}

/** Signals processes. Returns false if there are none any more. */
function send (pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    // EPERM: there is one, of another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function killAll (): void {
  for (const group of groups) group.kill()
}
