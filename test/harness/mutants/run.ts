import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { applyMutant, type Mutant } from './mutant.ts'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
const notCopied = new Set(['node_modules', '.git', '.tap', 'dist', 'data'])

/** Result of the tests of a mutant. */
export interface MutantResult {
  mutant: Mutant
  /** Each test file, with the first test that failed in it; undefined if none did. */
  failures: Array<[test: string, failure: string | undefined]>
}

/** Runs mutants one after the other in a copy of the tree. The checkout is never changed. */
export async function runMutants (
  mutants: readonly Mutant[],
  limitMs: number,
  report: (result: MutantResult) => void
): Promise<MutantResult[]> {
  const copy = mkdtempSync(join(tmpdir(), 'momock-mutants-'))
  try {
    cpSync(root, copy, { recursive: true, filter: (path) => !notCopied.has(basename(path)) })
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
    const results: MutantResult[] = []
    for (const mutant of mutants) {
      const file = join(copy, mutant.file)
      const source = readFileSync(file, 'utf8')
      writeFileSync(file, applyMutant(mutant, source))
      const failures: MutantResult['failures'] = []
      for (const test of mutant.tests) failures.push([test, await runTest(copy, test, limitMs)])
      writeFileSync(file, source)
      results.push({ mutant, failures })
      report({ mutant, failures })
    }
    return results
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

/** Runs a test file. Returns the name of the first failed test, or undefined if all passed. */
async function runTest (copy: string, test: string, limitMs: number): Promise<string | undefined> {
  const child = spawn(process.execPath, [test], {
    cwd: copy,
    env: {
      PATH: process.env.PATH,
      TAP_BAIL: '1',
      TAP_TIMEOUT: String(limitMs / 1000),
      POWER_LOSS_TESTS: 'required',
      TEST_FULL: 'on'
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  let isLate = false
  const limit = setTimeout(() => {
    isLate = true
    endGroup(child.pid)
  }, limitMs)
  const [code] = await once(child, 'exit')
  clearTimeout(limit)
  // Servers that the test started belong to its process group.
  endGroup(child.pid)
  if (code === 0) return undefined
  if (isLate) return `not finished within ${limitMs / 1000} s`
  const failed = /^ *not ok \d+ - (.*?)( # time=.*)?$/m.exec(text)
  return failed?.[1] ?? `ended with ${String(code)}: ${text.trim().slice(-300)}`
}

function endGroup (pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended already.
  }
}
