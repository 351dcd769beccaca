/** Markdown that shows a text as it is, whatever characters it holds. */

/** A text in a paragraph, a list or the cell of a table. */
export function escapeMarkdown (text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>#|~!&]/g, '\\$&')
}

/** A table with a row for each list of cells. */
export function writeTable (
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
