import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'
import { waitFor } from './waits.ts'

/** End of a program, and everything it wrote. */
export interface Outcome {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** A program that a test started. All waits are limited, and say what it wrote until then. */
export interface Program {
  child: ChildProcess
  /** Everything it has written so far. */
  written: { stdout: string; stderr: string }
  /** Waits until its standard output matches, or what it writes to the other stream. */
  prints: (pattern: RegExp, stream?: 'stdout' | 'stderr') => Promise<RegExpExecArray>
  /** Waits for its end. */
  end: (limitMs?: number) => Promise<Outcome>
  /** Sends a signal and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<Outcome>
}

/** Starts a program, which is killed with the test. */
export function startProgram (
  t: Test,
  [file, ...args]: readonly [string, ...string[]],
  options: SpawnOptions = {}
): Program {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
  const written = { stdout: '', stderr: '' }
  const seen = (): string => `${args.join(' ')} wrote ${JSON.stringify(written)}`
  const ended = Promise.withResolvers<Outcome>()
  child.on('error', ended.reject)
  child.on('close', (code, signal) => ended.resolve({ code, signal, ...written }))
  ended.promise.catch(() => {})
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      written[stream] += text
    })
  }
  const end = (limitMs?: number): Promise<Outcome> =>
    waitFor('the end of a program', ended.promise, seen, limitMs)
  t.teardown(async () => {
    if (child.pid === undefined) return
    child.kill('SIGKILL')
    await end()
  })
  return {
    child,
    written,
    end,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal)
      return end()
    },
    prints: (pattern, stream = 'stdout') =>
      waitFor(`${pattern} on ${stream}`, findText(pattern, stream), seen)
  }

  async function findText (pattern: RegExp, stream: 'stdout' | 'stderr'): Promise<RegExpExecArray> {
    let isOver = false
    const over = ended.promise.then(() => {
      isOver = true
    })
    for (;;) {
      const found = pattern.exec(written[stream])
      if (found !== null) return found
      if (isOver) throw new Error(`it ended without ${pattern} on ${stream}: ${seen()}`)
      await Promise.race([over, once(child[stream]!, 'data')])
    }
  }
}
