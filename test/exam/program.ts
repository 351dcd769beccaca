import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { freePort } from '../support/ports.ts'
import { findBuiltProgram } from '../support/built-program.ts'
import { startProgram, type Program } from '../support/program.ts'
import { configOf } from './museum.ts'

/** `momock exam` as a program, for tests. */

const serve = fileURLToPath(new URL('serve.ts', import.meta.url))

/** Starts `momock exam`. */
export function start (
  t: Test,
  args: string[],
  folder: string,
  env: Record<string, string> = {}
): Program {
  // In a terminal, tap asks for colours.
  const { FORCE_COLOR: _, ...own } = process.env
  return startProgram(t, [process.execPath, findBuiltProgram(), 'exam', ...args], {
    cwd: folder,
    env: { ...own, GITHUB_ACTIONS: '', GITHUB_STEP_SUMMARY: '', ...env }
  })
}

/** Limit of an exam: all checks take a minute, and longer on a busy machine. */
const examLimitMs = 5 * 60_000

/** Runs `momock exam` to its end. */
export async function run (
  t: Test,
  args: string[],
  folder: string,
  env?: Record<string, string>
): Promise<{ code: number | null; out: string; err: string }> {
  const { code, stdout, stderr } = await start(t, args, folder, env).end(examLimitMs)
  return { code, out: stdout, err: stderr }
}

/** A configuration that starts a merchant of the museum. */
export async function configured (t: Test, merchant: string, more: object = {}): Promise<string> {
  const url = 'http://127.0.0.1:{{port}}'
  const config = {
    ...configOf(url),
    mock: { port: await freePort() },
    start: {
      command: `exec '${process.execPath}' '${serve}' ${merchant}`,
      ready: `${url}/orders/none`
    },
    ...more
  }
  return t.testdir({ 'exam.yaml': JSON.stringify(config) })
}
