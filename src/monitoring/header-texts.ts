/** Separator that no header can contain. */
const separator = '\n'

/**
 * Joins headers to one text. Equal headers in sequence share one text, because a client nearly
 * always sends the same.
 */
export class HeaderTexts {
  #headers: readonly string[] = []
  #text = ''

  /** Joins headers that are given as names and values in turn. */
  joinHeaders (headers: readonly string[]): string {
    if (!isSame(headers, this.#headers)) {
      ;[this.#headers, this.#text] = [headers, headers.join(separator)]
    }
    return this.#text
  }
}

/** Tells whether two lists are equal. */
function isSame (a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  for (let n = 0; n < a.length; n++) if (a[n] !== b[n]) return false
  return true
}

/** Splits a text into the names and values of its headers. */
export function splitHeaders (text: string): string[] {
  return text === '' ? [] : text.split(separator)
}
