import type { Writable } from 'node:stream'
import type { Check } from './check.ts'
import type { Progress } from './runner.ts'

/** Progress of an exam on a terminal or in a log. */

/**
 * Shows the progress on a stream: in one line on a terminal, otherwise with one line per result.
 */
export function progressOn (stream: Writable, total: number): Required<Progress> {
  const isTerminal = 'isTTY' in stream && stream.isTTY === true
  let done = 0
  return {
    started: ({ id, title }: Check) => {
      if (isTerminal) {
        stream.write(`\r\u001b[K  ${done + 1} of ${total}  ${id} ${title}`.slice(0, 110))
      }
    },
    ended: (result) => {
      done++
      if (!isTerminal) {
        stream.write(
          `${String(done).padStart(3)} of ${total}  ${result.verdict.padEnd(7)} ${result.id}\n`
        )
      } else if (done === total) stream.write('\r\u001b[K')
    }
  }
}
