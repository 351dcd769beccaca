import { html, type Html } from '../../../src/lib/html.ts'
import { heading, layout, type Reader } from './layout.ts'

/** Problem of a request, and its fix. */
export interface PageProblem {
  code: string
  message: string
  hint?: string | undefined
}

/** Page for a request that is refused or finds nothing. */
export function problemPage (
  reader: Reader,
  { code, message, hint }: PageProblem,
  owner = 'momock'
): Html {
  const { say } = reader
  const isMissing = code === 'NOT_FOUND'
  const title = say(isMissing ? 'missingTitle' : 'problemTitle')
  return layout(reader, {
    title,
    path: '',
    owner,
    state: code,
    body: html`<section class="card centre">
${heading(title, 'still')}
<p>${isMissing ? say('missingText') : undefined}</p>
</section>`,
    aside: html`<p class="small">${say('detail')}: ${message}.</p>
${hint === undefined ? undefined : html`<p class="small">${hint}.</p>`}`
  })
}
