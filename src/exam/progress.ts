import type { Writable } from 'node:stream'
import type { Check } from './check.ts'
import type { Progress } from './runner.ts'

/** Progress of an exam on a terminal or in a log. */

const usualWidth = 80

function findWidth (stream: Writable): number {
  return 'columns' in stream && typeof stream.columns === 'number' ? stream.columns : usualWidth
}

/**
 * Shows the progress on a stream: in one line on a terminal, otherwise with one line per result.
 */
export function progressOn (stream: Writable, total: number): Required<Progress> {
  const isTerminal = 'isTTY' in stream && stream.isTTY === true
  let done = 0
  return {
    started: ({ id, proves }: Check) => {
      if (!isTerminal) return
      // One column less than there are: a full line would wrap, and its rest would stay.
      const line = `  ${done} of ${total} done  ${id} ${proves}`.slice(0, findWidth(stream) - 1)
      stream.write(`\r\u001b[K${line}`)
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
