import { hasColours } from '../lib/colour.ts'
import { showText } from '../lib/terminal-text.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { EventPrinter, scheduleOnTimer } from './event-printer.ts'
import { findRunningMock } from './running-mock.ts'

/** `momock tail`: prints the events of a running mock until Ctrl-C, or until the mock stops. */
export const run: RunCommand = async (input) => {
  const { out, err, env, flags } = input
  const mock = await findRunningMock('tail', input)
  if (mock === undefined) return exitCodes.address
  const accounts = flags.all === true ? 'all' : 'own'
  const printer = new EventPrinter({
    write: (text) => out.write(text),
    colours: hasColours(out, env),
    accounts,
    schedule: scheduleOnTimer
  })
  const stop = new AbortController()
  process.once('SIGINT', () => stop.abort())
  const whose = accounts === 'all' ? 'all accounts' : `the account of ${mock.client.token}`
  const events = mock.client.events({
    accounts,
    signal: stop.signal,
    onOpen: () => err.write(`events of ${whose} at ${mock.url}, Ctrl-C stops it\n`)
  })
  for await (const event of events) {
    if (flags.json === true) out.write(`${showText(JSON.stringify(event))}\n`)
    else printer.print(event)
  }
  printer.flush()
  if (stop.signal.aborted) return exitCodes.fine
  err.write(`the mock at ${mock.url} has stopped\n`)
  return exitCodes.failed
}
