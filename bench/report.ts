import type { Result } from './results.ts'

/** Report of the benchmark as text. */

const columns = [
  '',
  'momock',
  'divided by',
  'ratio',
  'from',
  'to',
  'target',
  'cpu',
  'cpu of it',
  ''
]

/** Returns the table of the rows, and their notes. */
export function formatReport (results: readonly Result[]): string {
  const cells = [columns, ...results.map(formatRow)]
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column].length)))
  const lines = cells.map((line) =>
    line
      .map((cell, column) =>
        column === 0 || column === columns.length - 1
          ? cell.padEnd(widths[column])
          : cell.padStart(widths[column])
      )
      .join('  ')
      .trimEnd()
  )
  const notes = results.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`))
  const met = results.filter(({ isMet }) => isMet).length
  return [...lines, '', ...notes, `${met} of ${results.length} targets are met`, ''].join('\n')
}

/** Returns a target such as `>= 0.95`. */
export function formatTarget ({ goal, target, unit, ratio }: Result): string {
  return `${goal === 'at least' ? '>=' : '<='} ${target}${ratio === undefined ? ` ${unit}` : ''}`
}

function formatRow (result: Result): string[] {
  const { name, title, unit, momock, yardstick, ratio, range, cpu, isMet } = result
  const digits = ratio === undefined ? 0 : 2
  return [
    `${name}: ${title}`,
    `${formatFigure(momock)} ${unit}`,
    yardstick === undefined ? '' : `${yardstick.name} ${formatFigure(yardstick.value)}`,
    ratio?.toFixed(2) ?? '',
    ...range.map((value) => value.toFixed(digits)),
    formatTarget(result),
    formatCpu(cpu?.momock),
    formatCpu(cpu?.yardstick),
    isMet ? 'met' : 'missed'
  ]
}

/** Returns a figure with a decimal if it is small. */
export function formatFigure (value: number): string {
  return value.toFixed(value < 10 ? 1 : 0)
}

function formatCpu (microseconds: number | undefined): string {
  return microseconds === undefined ? '' : `${microseconds.toFixed(0)} µs`
}
