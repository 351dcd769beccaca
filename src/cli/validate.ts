import { ConfigError } from '../config/config.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { validateFiles } from './validation.ts'

const usage = 'name the files to check: momock validate FILE…'

/** `momock validate FILE…`: prints the problems of the named files, and notes about words of v1. */
export const run: RunCommand = async ({ words, out, err }) => {
  if (words.length === 0) throw new ConfigError([usage])
  const { checked, problems, notes } = await validateFiles(words)
  for (const note of notes) err.write(`${note}\n`)
  for (const problem of problems) err.write(`${problem}\n`)
  const files = checked.map((path) => `  ${path}\n`).join('')
  if (problems.length > 0) {
    if (checked.length > 0) out.write(`checked:\n${files}`)
    return exitCodes.configuration
  }
  out.write(`${checked.length} ${checked.length === 1 ? 'file is' : 'files are'} valid:\n${files}`)
  return exitCodes.fine
}
