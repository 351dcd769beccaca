import type { Writable } from 'node:stream'
import type { CopyProgress } from '../build/ledger-copy.ts'

/** Progress of a copy: a line that is rewritten in a terminal, elsewhere a line for each table. */
export class CopyView {
  readonly #out: Writable
  readonly #isTerminal: boolean
  /** True while the last line may be rewritten. */
  #isOpen = false

  constructor (out: Writable) {
    this.#out = out
    this.#isTerminal = 'isTTY' in out && out.isTTY === true
  }

  show ({ step, table, rows, total }: CopyProgress): void {
    const name = table.replaceAll('_', ' ')
    const isComplete = step === 'copied' && rows >= total
    if (isComplete) this.#write(`${name} ${formatCount(rows)}\n`)
    else if (this.#isTerminal) {
      const doing = step === 'compared' ? 'comparing ' : ''
      this.#write(`${doing}${name} ${formatCount(rows)} of ${formatCount(total)}`)
    }
    this.#isOpen = !isComplete && this.#isTerminal
  }

  /** Removes a line that was not completed. */
  end (): void {
    if (this.#isOpen) this.#write('')
    this.#isOpen = false
  }

  #write (text: string): void {
    this.#out.write(this.#isOpen ? `\r\u001B[K${text}` : text)
  }
}

/** Returns a number with commas between thousands. */
export function formatCount (count: number): string {
  return count.toLocaleString('en-US')
}
