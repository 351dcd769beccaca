import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { runProgram } from '../../src/cli/run.ts'
import { folder } from './helper.ts'
import type { Where } from './process.ts'

/** Result of a command: its exit code and what it wrote. */
export interface CommandResult {
  code: number | undefined
  stdout: string
  stderr: string
}

/** Runs a command in this process and in a folder of its own: faster than a new process. */
export async function runCommand (
  t: Test,
  args: string[],
  { env = {}, cwd = folder(t) }: Where = {}
): Promise<CommandResult> {
  const [out, err] = [new PassThrough(), new PassThrough()]
  const texts = Promise.all([text(out), text(err)])
  const code = await runProgram(args, { out, err, env, folder: cwd })
  out.end()
  err.end()
  const [stdout, stderr] = await texts
  return { code, stdout, stderr }
}
