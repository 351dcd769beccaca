import { setTimeout as sleep } from 'node:timers/promises'
import { ChildGroup } from '../lib/child-group.ts'
import { TargetProblem } from './check.ts'
import { NoAnswer, send } from './http.ts'
import { systemClock, parseDuration } from './mock.ts'

/** The application, started by a command. */

const usualStartMs = 30_000
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
  #group: ChildGroup | undefined
  #output = ''

  constructor (options: StartOptions, stop: AbortSignal) {
    this.#options = options
    this.#stop = stop
  }

  /** Starts it, and waits until its ready URL answers. */
  async start (): Promise<void> {
    const { command, ready, folder, env, timeout = usualStartMs } = this.#options
    if (await isReady(ready)) {
      throw new TargetProblem(
        `${ready} answers already, before start.command is run. Stop what answers there: the ` +
          'exam would examine it instead of the application that it starts'
      )
    }
    this.#output = ''
    const group = new ChildGroup(command, {
      folder,
      env: { ...process.env, ...env },
      onOutput: (text) => {
        this.#output = (this.#output + text).slice(-keptOutput)
      }
    })
    this.#group = group
    const deadline = systemClock.now() + (parseDuration(timeout) ?? usualStartMs)
    for (;;) {
      // A shell that has ended well may have left the application in the background.
      if (group.end !== undefined && (group.end !== 0 || !group.isAlive)) {
        const end = await group.wait()
        await this.stop()
        throw new TargetProblem(
          `start.command ended with ${end} before it was ready: ${this.#lastLines()}`
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
    const group = this.#group
    this.#group = undefined
    await group?.stop()
  }

  #lastLines (): string {
    const lines = this.#output.trim()
    return lines === ''
      ? 'it printed nothing'
      : `it printed:\n${lines.split('\n').slice(-10).join('\n')}`
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
