import { exitCodes } from './command.ts'

/** Signals that end a command in order; SIGHUP comes when the terminal is closed. */
const endings = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * The first signal aborts, so that a command can show its results and put back what it has changed.
 * The second one ends the program. `release` gives the signals back.
 */
export function stopOnSignals (): { stop: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const interrupt = (): void =>
    controller.signal.aborted ? process.exit(exitCodes.failed) : controller.abort()
  for (const signal of endings) process.on(signal, interrupt)
  return {
    stop: controller.signal,
    release: () => {
      for (const signal of endings) process.off(signal, interrupt)
    }
  }
}
