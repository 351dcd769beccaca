import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { openPort } from '../../src/exam/ports.ts'
import { configOf } from './museum.ts'

/** `momock exam` as a program, for tests. */

const main = fileURLToPath(new URL('../../src/main.js', import.meta.url))
const serve = fileURLToPath(new URL('serve.ts', import.meta.url))

interface Ended {
  code: number | null
  out: string
  err: string
}

/** Starts `momock exam`. */
export function start (
  args: string[],
  folder: string,
  env: Record<string, string> = {}
): { child: ChildProcess; ended: Promise<Ended>; said: (text: RegExp) => Promise<void> } {
  const child = spawn(process.execPath, [main, 'exam', ...args], {
    cwd: folder,
    env: { ...process.env, GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe']
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = once(child, 'close').then(([code]) => ({ code, out, err }))
  const said = async (text: RegExp): Promise<void> => {
    while (!text.test(err)) await once(child.stderr, 'data')
  }
  return { child, ended, said }
}

/** Runs `momock exam` to its end. */
export const run = async (
  args: string[],
  folder: string,
  env?: Record<string, string>
): Promise<Ended> => await start(args, folder, env).ended

/** A configuration that starts a merchant of the museum. */
export async function configured (t: Test, merchant: string, more: object = {}): Promise<string> {
  const url = 'http://127.0.0.1:{{port}}'
  const config = {
    ...configOf(url),
    mock: { port: await openPort() },
    start: {
      command: `exec '${process.execPath}' '${serve}' ${merchant}`,
      ready: `${url}/orders/none`
    },
    ...more
  }
  return t.testdir({ 'exam.yaml': JSON.stringify(config) })
}
