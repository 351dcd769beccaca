import { ConfigError } from '../config/config.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { validateFiles } from './validation.ts'

const usage = 'name the files to check: momock validate FILE…'

/** `momock validate FILE…`: prints the problems of the named files, and notes about words of v1. */
export const run: RunCommand = async ({ words, out, err }) => {
  if (words.length === 0) throw new ConfigError([usage])
  const { checked, problems, notes } = await validateFiles(words)
  for (const note of notes) err.write(`note: ${note}\n`)
  for (const problem of problems) err.write(`${problem}\n`)
  const files = checked.map((path) => `  ${path}\n`).join('')
  if (problems.length > 0) {
    const size = countProblems(problems)
    const where = checked.length === 0 ? '' : `; checked:\n${files}`.trimEnd()
    out.write(`${size} ${size === 1 ? 'problem' : 'problems'}${where}\n`)
    return exitCodes.configuration
  }
  out.write(`${checked.length} ${checked.length === 1 ? 'file is' : 'files are'} valid:\n${files}`)
  return exitCodes.fine
}

/** A long report ends with the number of those that it leaves out. */
function countProblems (problems: readonly string[]): number {
  return problems.reduce((sum, text) => sum + Number(/: and (\d+) more$/.exec(text)?.[1] ?? 1), 0)
}
