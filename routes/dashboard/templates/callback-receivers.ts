import { kinds } from '../../../src/domain/kinds.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { showUrl } from '../../../src/lib/url.ts'
import { linkTo, type Visit } from '../visit.ts'
import { actionForm } from './forms.ts'
import { disclosure, table, type Cell } from './parts.ts'

const keys = Object.values(kinds).map(({ callback }) => callback)

const exampleUrl = 'http://127.0.0.1:3000/callbacks'

/** Name of the sink that the dashboard suggests. */
const ownSink = 'dashboard'

/** Name of the sink of a URL; undefined for other receivers. */
export function sinkOf (url: string): string | undefined {
  return /\/__admin\/sink\/([\w.-]{1,64})$/.exec(url)?.[1]
}

/** URLs that callbacks are sent to, and forms that change them. */
export function receiversHtml (visit: Visit): Html {
  const { callbacks = {} } = visit.account.settings
  const missing = keys.filter((key) => callbacks[key] === undefined)
  const note =
    missing.length === 0
      ? undefined
      : html`<p class="note">No callbacks are sent for ${missing.join(', ')}: no URL is set.</p>`
  return html`${note}
${disclosure(
  'receivers',
  html`Where callbacks are sent`,
  html`${table(
    ['Kind', ['URL', 'wrap']],
    keys.map((key) => row(visit, key, callbacks[key]))
  )}
<div class="actions">
${actionForm(visit, 'set-callback-url', {}, 'Send all callbacks there', {
  controls: html`<label>URL <input name="url" type="url" required size="36"
placeholder="${exampleUrl}"></label> `
})}
${actionForm(visit, 'set-callback-url', { sink: ownSink }, 'Use the built-in receiver')}
</div>`
)}`
}

function row (visit: Visit, key: string, url: string | undefined): Cell[] {
  const sink = url === undefined ? undefined : sinkOf(url)
  const link =
    sink === undefined
      ? undefined
      : html` <a href="${linkTo(visit, `/sinks/${sink}`)}">Sink ${sink}</a>`
  return [key, html`${url === undefined ? 'none' : showUrl(url)}${link}`]
}
