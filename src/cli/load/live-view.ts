import type { Writable } from 'node:stream'
import type { Second } from './figures.ts'
import { formatHead, formatSecond, type CallbackMode } from './table.ts'
import { drawPlot } from './terminal-plot.ts'

/** Lines of each plot, and columns of a terminal that does not tell its size. */
const plotLines = 4
const usualColumns = 80

/** Progress of a run: a row per second, and in a terminal plots below them. */
export class LiveView {
  readonly #stream: Writable
  readonly #colours: boolean
  readonly #mode: CallbackMode
  readonly #seconds: Second[] = []
  #drawn = 0

  constructor (stream: Writable, colours: boolean, mode: CallbackMode) {
    this.#stream = stream
    this.#colours = colours
    this.#mode = mode
  }

  /** Begins a run: a title and the head of the table. The plots show all runs. */
  begin (title: string): void {
    const head = formatHead(this.#colours, this.#mode)
    this.#stream.write(`${this.#erasePlots()}${title}\n\n${head}\n`)
    this.#drawn = 0
  }

  addSecond (second: Second): void {
    this.#seconds.push(second)
    const row = formatSecond(second, this.#colours)
    if (!this.#isTerminal()) {
      this.#stream.write(`${row}\n`)
      return
    }
    const erase = this.#erasePlots()
    const lines = this.#drawPlots()
    this.#drawn = lines.length
    this.#stream.write(`${erase}${row}\n${lines.map((line) => `${line}\n`).join('')}`)
  }

  /** Returns what moves the cursor to the top of the plots and clears the rest of the screen. */
  #erasePlots (): string {
    return this.#drawn === 0 ? '' : `\u001B[${this.#drawn}A\u001B[0J`
  }

  #drawPlots (): string[] {
    const { columns = usualColumns } = this.#stream as { columns?: number }
    const draw = (title: string, valueOf: (second: Second) => number): string[] =>
      drawPlot(title, this.#seconds.map(valueOf), columns - 1, plotLines)
    return [
      '',
      ...draw('answers per second', ({ answers, length }) => answers / length),
      ...draw('p99 of the answers, ms', ({ p99 }) => p99),
      ...(this.#mode === 'none'
        ? []
        : draw(
          'callbacks per second',
          ({ lives, storm, length }) => (lives ?? storm ?? { callbacks: 0 }).callbacks / length
        ))
    ]
  }

  #isTerminal (): boolean {
    return this.#colours && 'isTTY' in this.#stream && this.#stream.isTTY === true
  }
}
