import { html, type Html } from '../../../src/lib/html.ts'
import { formatNumber } from '../../pages/templates/format.ts'

/** Parts that several pages of the dashboard share. */

/** Time of a clock, in UTC: `2026-01-31 12:00:00.250Z`. */
export function formatTime (time: number | string): string {
  return new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace('.000Z', 'Z')
}

/** Time of day. The whole time appears on hover. */
export function timeHtml (time: string): Html {
  const whole = formatTime(time)
  return html`<time datetime="${time}" title="${whole}">${whole.slice(11, 19)}</time>`
}

/** Day of a time: `Thursday, 19 November 2026`. */
export function formatDay (time: string): string {
  return dayFormat.format(Date.parse(time))
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' })

/** Decimals of each currency that was asked for: creating a format takes long. */
const decimals = new Map<string, number>()

/** Amount with separators and the decimals of its currency; more decimals if it has them. */
export function moneyHtml (amount: string | undefined, currency = ''): Html | undefined {
  if (amount === undefined) return undefined
  const [whole, fraction = ''] = amount.split('.')
  const kept = fraction.replace(/0+$/, '')
  const digits = Math.max(kept.length, decimalsOf(currency))
  const number = digits === 0 ? whole : `${whole}.${kept.padEnd(digits, '0')}`
  return html`${formatNumber(number, 'en')} <span class="unit">${currency}</span>`
}

function decimalsOf (currency: string): number {
  let count = decimals.get(currency)
  if (count === undefined) {
    const isCode = /^[A-Z]{3}$/.test(currency)
    const style = { style: 'currency', currency } as const
    const options = isCode ? new Intl.NumberFormat('en', style).resolvedOptions() : undefined
    decimals.set(currency, (count = options?.maximumFractionDigits ?? 2))
  }
  return count
}

/** Beginning of an identifier. All of it appears on hover. */
export function shortId (id: string): Html {
  return html`<code title="${id}">${id.slice(0, 8)}</code>`
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

/** Text in lines with a button that copies it. The button needs a script, and is hidden without. */
export function copyBlock (id: string, text: string, what = 'Copy'): Html {
  return html`<div class="codes"><pre><code id="${id}">${text}</code></pre>
<button type="button" class="copy" data-copy="${id}">${what}</button></div>`
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

/** Delivery of a callback in a word. Only trouble has a colour. */
export function deliveryBadge ({ state, tries }: { state: string; tries: number }): Html {
  if (state === 'ACKNOWLEDGED') return badge('delivered', state)
  if (state === 'EXHAUSTED') return badge('given up', state)
  return tries === 0 ? badge('waiting', 'WAITING') : badge(`retrying, ${tries} failed`, 'RETRYING')
}

/** Column of a table: its name, and how its cells look. */
export type Column = string | [name: string, look: 'number' | 'wrap' | 'time']

/** Content of one cell. */
export type Cell = Html | string | number | undefined

/** Row of a table: its cells, or also an id, which keeps it the same while the table changes. */
export type Row = readonly Cell[] | { id: string; cells: readonly Cell[] } | { group: string }

/**
 * Table with the names of its columns. On a narrow screen each row is a list of names and values;
 * the rows of a dense table are lines of values. The roles keep it a table there.
 */
export function table (
  columns: readonly Column[],
  rows: readonly Row[],
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
  // Without white space between rows: a row that is added moves no other one.
  const rowHtml = (row: Row): Html => {
    if ('group' in row) {
      return html`<tr role="row" class="group"><th scope="rowgroup" role="rowheader"
colspan="${columns.length}">${row.group}</th></tr>`
    }
    return 'id' in row
      ? html`<tr role="row" id="${row.id}">${cells(row.cells)}</tr>`
      : html`<tr role="row">${cells(row)}</tr>`
  }
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table">
<table class="${density}" role="table">
<thead role="rowgroup"><tr role="row">${names}</tr></thead>
<tbody role="rowgroup">${rows.map(rowHtml)}</tbody>
</table></div>`
}

/** List whose entries open. Its style aligns the columns of all entries. */
export function entryList (look: string, columns: readonly string[], entries: Html[]): Html {
  return html`<div class="rows ${look}">
<div class="rows-head" aria-hidden="true">${columns.map((name) => html`<span>${name}</span>`)}</div>
${entries}</div>`
}

/** Entry of a list that opens. Its id keeps it open when the page is refreshed. */
export function entry (id: string, cells: readonly Cell[], body: Html, isOpen = false): Html {
  return html`<details class="entry" id="${id}"${isOpen ? html` open` : undefined}>
<summary>${cells.map((cell) => html`<span>${cell}</span>`)}</summary>
<div class="entry-body">${body}</div>
</details>`
}

/** Part of a page that opens. Its id keeps it open when the page is refreshed. */
export function disclosure (id: string, summary: Html, body: Html, isOpen = false): Html {
  return html`<details class="item" id="${id}"${isOpen ? html` open` : undefined}>
<summary>${summary}</summary>
${body}
</details>`
}

/** Menu beside the title of a page. */
export function sideMenu (id: string, name: Html | string, body: Html): Html {
  return html`<details class="menu right" name="menu" id="${id}"><summary>${name}</summary>
<div>${body}</div></details>`
}

/** Text in place of a list without entries. */
export function emptyNote (text: string): Html {
  return html`<p class="empty">${text}</p>`
}

/** Link to the next page of a list. */
export function pageLink (url: string | undefined, text: string): Html | undefined {
  return url === undefined ? undefined : html`<p><a href="${url}">${text}</a></p>`
}

/** Choice of a form. Without `empty` one of the choices must be taken. */
export function selectField (
  name: string,
  label: string,
  choices: readonly string[],
  chosen: string | undefined,
  empty: string | null = 'all'
): Html {
  return html`<label>${label} <select name="${name}">
${empty === null ? undefined : html`<option value="">${empty}</option>`}
${choices.map((choice) => option(choice, choice === chosen))}
</select></label>`
}

function option (choice: string, isChosen: boolean): Html {
  return isChosen ? html`<option selected>${choice}</option>` : html`<option>${choice}</option>`
}
