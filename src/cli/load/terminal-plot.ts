/** Plots of the terminal, made of block characters. */

const blocks = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
const labelWidth = 9

/**
 * Draws values as columns, the newest on the right. The first line has the title and the highest
 * value that is shown.
 */
export function drawPlot (
  title: string,
  values: readonly number[],
  columns: number,
  lines: number
): string[] {
  const shown = values.slice(-Math.max(1, columns - labelWidth))
  const highest = Math.max(...shown, 0)
  const heights = shown.map((value) =>
    highest === 0 ? 0 : Math.round((value / highest) * lines * (blocks.length - 1))
  )
  const drawn = Array.from({ length: lines }, (_, index) => {
    const below = (lines - 1 - index) * (blocks.length - 1)
    const label = index === 0 ? formatNumber(highest) : index === lines - 1 ? '0' : ''
    const cells = heights.map(
      (height) => blocks[Math.min(blocks.length - 1, Math.max(0, height - below))]
    )
    return `${label.padStart(labelWidth - 2)} ┤${cells.join('')}`
  })
  return [`${' '.repeat(labelWidth)}${title}`, ...drawn]
}

function formatNumber (value: number): string {
  return value < 100 ? value.toFixed(1) : String(Math.round(value))
}
