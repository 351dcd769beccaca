/** Escapes a text for a paragraph, a list or a cell of a table. */
export function escapeMarkdown (text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>#|~!&]/g, '\\$&')
}

/** Writes a table. */
export function writeTable (
  head: readonly string[],
  rows: ReadonlyArray<readonly string[]>
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
