import type { Refusal } from '../../../src/domain/refusal.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { assetPath } from './asset-files.ts'
import { languages, type Language, type Say } from './texts.ts'

/** Visitor of a page, and the language of the visitor. */
export interface Reader {
  /** Query of the page; a change of the language keeps it. */
  query: Record<string, string>
  language: Language
  say: Say
}

/** Part of a reader that texts need. */
export type Voice = Pick<Reader, 'language' | 'say'>

/** Content of a page. */
export interface Page {
  title: string
  /**
   * Path of the page. The address of a form that was sent back with problems may be another one.
   */
  path: string
  /** Name of the company that the page belongs to. */
  owner: string
  body: Html
  state: string
  /** Tag of the content, and the address of its event stream. */
  mark?: string
  follow?: string
  /** True if the page changes by itself. Browsers without scripts reload it. */
  waits?: boolean
  /** Address of the next page, and the seconds until it opens. */
  onward?: { url: string; after: number }
  /** Links that only the simulator has. */
  aside?: Html
  /** Id of the form on the page. A change of the language keeps its values. */
  form?: string
  look?: 'phone'
}

const names: Record<Language, string> = { en: 'English', fr: 'Français' }
/** Interval of reloads in browsers without scripts, in seconds. */
const reloadSeconds = 2

/** A whole page. */
export function layout (reader: Reader, page: Page): Html {
  const { language, say } = reader
  const { title, path, owner, body, state, mark, follow, waits, onward, aside, look } = page
  const refresh =
    onward !== undefined
      ? `${onward.after}; url=${onward.url}`
      : waits === true
        ? String(reloadSeconds)
        : undefined
  const reload = refresh && html`<meta http-equiv="refresh" content="${refresh}">`
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
<link rel="stylesheet" href="${assetPath('page.css')}">
<script src="${assetPath('form.js')}" defer></script>
<script src="${assetPath('idiomorph.js')}" defer></script>
<script src="${assetPath('page.js')}" defer></script>
${reload && html`<noscript>${reload}</noscript>`}
</head>
<body class="${look ?? 'page'}">
<a class="skip" href="#main">${say('skip')}</a>
<header class="top">
<p class="owner">${owner}</p>
<nav class="languages" aria-label="${say('language')}">
${languageChoice(reader, page)}
</nav>
</header>
<main id="main" tabindex="-1" data-state="${state}" data-news="${title}" data-path="${path}"
  ${optionalAttribute('data-mark', mark)} ${optionalAttribute('data-follow', follow)}
  ${optionalAttribute('data-onward', onward?.url)}
  ${optionalAttribute('data-onward-after', onward?.after)}>
${body}
<aside class="simulator" aria-label="${say('simulator')}">
<p><strong class="tag">${say('simulator')}</strong> ${say('simulatorText')}</p>
${aside}
<p class="small">${say('twin')}</p>
</aside>
</main>
<p id="news" class="unseen" role="status"></p>
</body>
</html>
`
}

/**
 * Links to the page in each language. With a form, they are buttons that keep its values; this
 * needs no script.
 */
function languageChoice ({ query, language }: Reader, { path, form }: Page): Html {
  const marks = (other: Language): Html => {
    const current = other === language ? 'true' : undefined
    return html`lang="${other}" ${optionalAttribute('aria-current', current)}`
  }
  if (form === undefined) {
    const links = languages.map((other) => {
      const address = addressIn(path, query, other)
      return html`<a href="${address}" hreflang="${other}" ${marks(other)}>${names[other]}</a>`
    })
    return html`${links}`
  }
  // Enter in a field presses the first button of its form, and must not choose a language.
  return html`<button form="${form}" hidden></button>
${languages.map(
  (other) =>
    html`<button form="${form}" formmethod="get" formaction="${path}" name="lang"
  value="${other}" ${marks(other)}>${names[other]}</button>`
)}`
}

/** Address of a page in another language, with the rest of its query. */
function addressIn (path: string, query: Record<string, string>, language: Language): string {
  return `${path}?${new URLSearchParams({ ...query, lang: language }).toString()}`
}

/** Attribute of an element, or undefined without a value. */
export function optionalAttribute (
  name: string,
  value: string | number | undefined
): Html | undefined {
  return value === undefined ? undefined : html`${name}="${value}"`
}

/** The heading of a page with a sign that is seen, and not read out. */
export function heading (text: string, sign: 'wait' | 'good' | 'bad' | 'still'): Html {
  return html`<div class="sign ${sign}" aria-hidden="true"></div>
<h1>${text}</h1>`
}

/** Line with the reason of a payment. */
export function reasonLine ({ say }: Reader, reason: string | undefined): Html | undefined {
  return reason === undefined
    ? undefined
    : html`<p class="reason"><span class="label">${say('reason')}</span> ${reason}</p>`
}

/** Lines with the technical messages of problems. */
export function problemDetail ({ say }: Reader, problems: readonly Refusal[]): Html[] {
  return problems.map(({ message }) => html`<p class="small">${say('detail')}: ${message}.</p>`)
}
