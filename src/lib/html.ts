/** Markup that is safe to send: everything put into it was escaped on the way in. */
export class Html {
  readonly text: string

  constructor (text: string) {
    this.text = text
  }
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;'
}

/**
 * A template whose values are escaped, unless they are markup made the same way; a list of markup
 * is put in one after the other.
 */
export function html (
  strings: TemplateStringsArray,
  ...values: Array<string | number | Html | Html[] | undefined>
): Html {
  return new Html(
    strings.reduce((text, string, index) => text + render(values[index - 1]) + string)
  )
}

function render (value: string | number | Html | Html[] | undefined): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(({ text }) => text).join('')
  return String(value).replace(/[&<>"']/g, (character) => escapes[character])
}
