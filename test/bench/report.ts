import type { Round } from './load.ts'

/** A comparison of momock with the bare server. */
export interface Row {
  name: string
  unit: 'req/s' | 'ms'
  momock: number
  bare: number
  /**
   * The median of the ratios of each pair of rounds, which is steadier than the ratio of the
   * medians.
   */
  ratio: number
  /**
   * The least and the greatest of those ratios: far apart, they say that the machine had other
   * things to do.
   */
  range: [number, number]
  /**
   * The server's processor time for one request, in microseconds: it suffers less from what else
   * goes on.
   */
  cpu?: { momock: number; bare: number }
  /** Target of the ratio: a minimum for a rate, a maximum for a time. */
  target: number
  later?: number
}

/** The middle of some numbers. */
export function median (values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Compares rounds of load that were run in pairs. */
export function compareRates (
  name: string,
  momock: Round[],
  bare: Round[],
  target: number,
  later: number
): Row {
  const rates = compare(
    momock.map(({ rate }) => rate),
    bare.map(({ rate }) => rate)
  )
  const cpu = {
    momock: median(momock.map(({ cpu }) => cpu)),
    bare: median(bare.map(({ cpu }) => cpu))
  }
  return { name, unit: 'req/s', ...rates, cpu, target, later }
}

/** Compares times that were taken in pairs. */
export function compareTimes (name: string, momock: number[], bare: number[], target: number): Row {
  return { name, unit: 'ms', ...compare(momock, bare), target }
}

/** The table, and which targets were met. */
export function report (rows: Row[]): string {
  const cells = [
    ['', 'momock', 'bare', 'ratio', 'from', 'to', 'wanted', 'cpu momock', 'cpu bare'],
    ...rows.map((row) => [
      row.name,
      `${row.momock.toFixed(0)} ${row.unit}`,
      `${row.bare.toFixed(0)} ${row.unit}`,
      ...[row.ratio, ...row.range].map((ratio) => ratio.toFixed(2)),
      `${sign(row)} ${row.target}${row.later === undefined ? '' : `, later ${row.later}`}`,
      ...(row.cpu === undefined
        ? ['', '']
        : [`${row.cpu.momock.toFixed(0)} µs`, `${row.cpu.bare.toFixed(0)} µs`])
    ])
  ]
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)))
  const lines = cells.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column])
      )
      .join('  ')
      .trimEnd()
  )
  return [...lines, '', ...rows.map(verdict), ''].join('\n')
}

function compare (
  momock: number[],
  bare: number[]
): Pick<Row, 'momock' | 'bare' | 'ratio' | 'range'> {
  const ratios = momock.map((value, i) => value / bare[i])
  return {
    momock: median(momock),
    bare: median(bare),
    ratio: median(ratios),
    range: [Math.min(...ratios), Math.max(...ratios)]
  }
}

const sign = ({ unit }: Row): string => (unit === 'ms' ? '<=' : '>=')

function verdict (row: Row): string {
  const meets = (target: number): boolean =>
    row.unit === 'ms' ? row.ratio <= target : row.ratio >= target
  const word =
    row.later !== undefined && meets(row.later)
      ? 'met, the later one too'
      : meets(row.target)
        ? 'met'
        : 'missed'
  return `${word}: ${row.name}: ${row.ratio.toFixed(2)}, wanted ${sign(row)} ${row.target}`
}
