import { html, type Html } from '../../../src/lib/html.ts'

/** Parts that several pages of the dashboard share. */

/** Time of a clock, in UTC: `2026-01-31 12:00:00.250Z`. */
export function formatTime (time: number | string): string {
  return new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace('.000Z', 'Z')
}

/** JSON with indentation; texts as they are. */
export function writeJson (value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

/** HTTP headers, one per line. */
function writeHeaders (headers: Record<string, unknown>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n')
}

/** Text in lines, such as JSON or a command. */
export function codeBlock (text: string): Html {
  return html`<pre><code>${text}</code></pre>`
}

/** HTTP request as it was sent: its first line, its headers and its body. */
export function requestBlock (
  method: string,
  url: string,
  headers: Record<string, unknown>,
  body: unknown = ''
): Html {
  // A received request has a path, a sent one a whole URL.
  const whole = url.startsWith('/') ? null : URL.parse(url)
  const target = whole === null ? url : whole.pathname + whole.search
  const hostLine = whole === null || 'host' in headers ? [] : [`host: ${whole.host}`]
  const lines = [`${method} ${target} HTTP/1.1`, ...hostLine, writeHeaders(headers)]
  return codeBlock(`${lines.join('\n')}\n\n${writeJson(body)}`)
}

/** HTTP message: its headers and its body. */
export function messageBlock (
  headers: Record<string, unknown>,
  body: unknown = '',
  status?: number
): Html {
  const lines = [...(status === undefined ? [] : [status]), writeHeaders(headers)]
  return codeBlock(`${lines.join('\n')}\n\n${writeJson(body)}`)
}

/** Status as a badge. `tone` decides its colour if the status itself does not. */
export function badge (status: string | number, tone: string = String(status)): Html {
  return html`<span class="badge" data-status="${tone}">${status}</span>`
}

/** Column of a table: its name, and how its cells look. */
export type Column = string | [name: string, look: 'number' | 'wrap' | 'time']

/** Content of one cell. */
export type Cell = Html | string | number | undefined

/**
 * Table with the names of its columns. On a narrow screen each row is a list of names and values;
 * the rows of a dense table are lines of values. The roles keep it a table there.
 */
export function table (
  columns: readonly Column[],
  rows: ReadonlyArray<readonly Cell[]>,
  density: 'roomy' | 'dense' = 'roomy'
): Html {
  const looks = columns.map((column) => (typeof column === 'string' ? [column, ''] : column))
  const names = looks.map(
    ([name, look]) => html`<th scope="col" role="columnheader" class="${look}">${name}</th>`
  )
  const cells = (row: readonly Cell[]): Html[] =>
    looks.map(
      ([name, look], n) =>
        html`<td role="cell" class="${look}" data-name="${name}"><div>${row[n]}</div></td>`
    )
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
<table class="${density}" role="table">
<thead role="rowgroup"><tr role="row">${names}</tr></thead>
<tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${cells(row)}</tr>\n`)}</tbody>
</table></div>`
}

/** Part of a page that opens. Its id keeps it open when the page is refreshed. */
export function disclosure (id: string, summary: Html, body: Html, isOpen = false): Html {
  return html`<details class="item" id="${id}"${isOpen ? html` open` : undefined}>
<summary>${summary}</summary>
${body}
</details>`
}

/** Text in place of a list without entries. */
export function emptyNote (text: string): Html {
  return html`<p class="empty">${text}</p>`
}

/** Link to the next page of a list. */
export function pageLink (url: string | undefined, text: string): Html | undefined {
  return url === undefined ? undefined : html`<p><a href="${url}">${text}</a></p>`
}
