import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { TargetProblem } from './check.ts'
import { NoAnswer, send } from './http.ts'
import { systemClock, parseDuration } from './mock.ts'

/** The application, started by a command. */

const usualStartMs = 30_000
const stopMs = 3000
const lookMs = 50
const keptOutput = 4000

export interface StartOptions {
  command: string
  ready: string
  folder: string
  timeout?: string | number
  env: Record<string, string>
}

export class MerchantProcess {
  readonly #options: StartOptions
  readonly #stop: AbortSignal
  #child: ChildProcess | undefined
  #output = ''

  constructor (options: StartOptions, stop: AbortSignal) {
    this.#options = options
    this.#stop = stop
  }

  /** Starts it, and waits until its ready URL answers. */
  async start (): Promise<void> {
    const { command, ready, folder, env, timeout = usualStartMs } = this.#options
    const child = spawn(command, {
      shell: true,
      detached: true,
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe']
    })
    this.#child = child
    this.#output = ''
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-keptOutput)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    const deadline = systemClock.now() + (parseDuration(timeout) ?? usualStartMs)
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) {
        throw new TargetProblem(
          `start.command ended with ${child.exitCode ?? child.signalCode} before it was ` +
            `ready: ${this.#lastLines()}`
        )
      }
      if (await isReady(ready)) return
      if (systemClock.now() >= deadline) {
        await this.stop()
        throw new TargetProblem(
          `${ready} does not answer after start.command '${command}': ${this.#lastLines()}`
        )
      }
      await sleep(lookMs, undefined, { signal: this.#stop })
    }
  }

  async restart (): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Ends it, and whatever it has started. */
  async stop (): Promise<void> {
    const child = this.#child
    this.#child = undefined
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'close')
    signal(child.pid, 'SIGTERM')
    const late = setTimeout(() => {
      if (child.pid !== undefined) signal(child.pid, 'SIGKILL')
    }, stopMs)
    await ended
    clearTimeout(late)
  }

  #lastLines (): string {
    const lines = this.#output.trim()
    return lines === ''
      ? 'it printed nothing'
      : `it printed:\n${lines.split('\n').slice(-10).join('\n')}`
  }
}

/** Signals a process and its children. They may have ended already. */
function signal (pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch {
    // The process has ended in the meantime.
  }
}

async function isReady (url: string): Promise<boolean> {
  try {
    const { status } = await send({ method: 'GET', url, headers: {} }, 1000)
    return status < 500
  } catch (error) {
    if (error instanceof NoAnswer) return false
    throw error
  }
}
