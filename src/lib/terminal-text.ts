/**
 * Characters that a terminal obeys or that change the order of others: control characters (C0, DEL,
 * C1), line and paragraph separators, and marks of the direction of writing.
 */
const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

const shortForms: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * Writes a text of a stranger for a terminal, in one line: what a terminal would obey is shown as
 * an escape of JSON. So a text that is JSON keeps its meaning.
 */
export function showText (text: string): string {
  return text.replace(
    obeyed,
    (found) => shortForms[found] ?? `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`
  )
}

/** Writes a text of several lines, such as a stack, for a terminal. Only its line feeds stay. */
export function showLines (text: string): string {
  return text.split('\n').map(showText).join('\n')
}

/** Returns a record whose texts can be printed. Its message has one line. */
export function showRecord (value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'msg' ? showText(value) : showLines(value)
  if (Array.isArray(value)) return value.map((entry) => showRecord(entry))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [showText(key), showRecord(field, key)])
  )
}
