import { ConfigError } from '../config/config.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { validate } from './validation.ts'

/** `momock validate FILE…`: says what is wrong with the files that were named. */
export const run: RunCommand = async ({ words, out, err }) => {
  if (words.length === 0) throw new ConfigError(['name the files to check: momock validate FILE…'])
  const { checked, problems } = await validate(words)
  for (const problem of problems) err.write(`${problem}\n`)
  if (problems.length > 0) return exitCodes.configuration
  out.write(`${checked} ${checked === 1 ? 'file is' : 'files are'} fine\n`)
  return exitCodes.fine
}
