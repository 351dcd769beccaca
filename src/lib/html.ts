/** Markup that is safe to send, because all values in it are escaped. */
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

/** Template tag that escapes its values. Values that are markup are inserted unchanged. */
export function html (
  strings: TemplateStringsArray,
  ...values: Array<string | number | Html | Html[] | undefined>
): Html {
  return new Html(
    strings.reduce((text, string, index) => text + renderValue(values[index - 1]) + string)
  )
}

function renderValue (value: string | number | Html | Html[] | undefined): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(({ text }) => text).join('')
  return String(value).replace(/[&<>"']/g, (character) => escapes[character])
}
