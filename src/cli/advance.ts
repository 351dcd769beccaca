import { ConfigError } from '../config/config.ts'
import { durationForms, parseDuration } from '../lib/duration.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { findRunningMock } from './running-mock.ts'

/** `momock advance 15m`: advances the clock of an account, with all work that becomes due. */
export const run: RunCommand = async (input) => {
  const {
    words: [target, ...more],
    out
  } = input
  const forms = `${durationForms}; or next, when something is due; or idle, when nothing is due`
  const problems: string[] = []
  if (target === undefined) problems.push(`name a time: momock advance 15m; it is ${forms}`)
  else if (!isGoal(target) && parseDuration(target) === undefined) {
    problems.push(`'${target}' is not a time; it is ${forms}`)
  }
  if (more.length > 0) problems.push(`only one time is possible, got '${more.join(' ')}' too`)
  if (problems.length > 0) throw new ConfigError(problems)
  const mock = await findRunningMock('advance', input)
  if (mock === undefined) return exitCodes.address
  const { now, mode, transitions, callbacks, expirations } = await mock.client.advance(
    isGoal(target) ? { until: target } : target
  )
  const counts = [
    countWords(transitions, 'change of status', 'changes of status'),
    countWords(callbacks, 'callback', 'callbacks'),
    countWords(expirations, 'expiry', 'expiries')
  ]
  out.write(`the clock shows ${now} and is ${mode}: ${counts.join(', ')}\n`)
  return exitCodes.fine
}

function isGoal (text: string): text is 'next' | 'idle' {
  return text === 'next' || text === 'idle'
}

function countWords (count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
