/** Quotes a text as one word of any POSIX shell. */
export function quoteWord (text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
