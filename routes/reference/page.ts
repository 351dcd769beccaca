import { html, type Html } from '../../src/lib/html.ts'
import type { Schema } from '../../src/openapi/schema.ts'
import { assetPath } from '../pages/templates/asset-files.ts'
import { article, callbackArticle } from './article.ts'
import type { Operation, ReferenceReader } from './command.ts'
import { guideHome } from '../guide/library.ts'
import { listParts, type ReferenceGroup, type ReferencePart } from './groups.ts'

/** Address of the reference. */
const home = '/__admin/docs'

/**
 * A page of the reference, made from the document alone: the first page, or one group. Returns
 * undefined for an unknown group.
 */
export function referencePage (
  document: Schema,
  reader: ReferenceReader,
  name?: string
): Html | undefined {
  const parts = listParts(document)
  const shown = parts.flatMap(({ groups }) => groups).find((group) => group.name === name)
  if (name !== undefined && shown === undefined) return undefined
  const { title, version } = document.info
  const body =
    shown === undefined
      ? introduction(document, parts, reader)
      : groupSection(document, shown, reader)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${shown === undefined ? '' : `${shown.title} · `}${title} reference</title>
<link rel="icon" type="image/svg+xml" href="${assetPath('icon.svg')}">
<link rel="stylesheet" href="${assetPath('reference.css')}">
<script src="${assetPath('reference.js')}" defer></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<p class="title"><a href="${home}">${title} reference</a> <small>${version}</small></p>
<p class="elsewhere"><a href="/__admin/ui">Dashboard</a> <a href="${guideHome}">Guide</a></p>
</header>
<nav aria-label="Operations">
<p class="search" hidden><label for="search">Search</label>
<input id="search" type="search" autocomplete="off" placeholder="deposit, PATCH, /clock …"></p>
<p id="found" class="unseen" role="status" data-what="operations"></p>
${parts.map((part) => sidebarPart(part, shown))}</nav>
<main id="main" tabindex="-1">
${body}
</main>
</body>
</html>
`
}

function sidebarPart ({ title, groups }: ReferencePart, shown: ReferenceGroup | undefined): Html {
  const sections = groups.map((group) => {
    const { name, operations, callbacks } = group
    const link = (operation: Operation, label: string): Html => {
      const { operationId, summary } = operation
      const words = `${summary} ${operationId} ${operation.method} ${operation.path}`
      return html`<li data-words="${words.toLowerCase()}"><a
  href="${home}/${name}#${operationId}"><b>${label}</b> ${summary}</a></li>
`
    }
    return html`<details ${group === shown ? 'open' : ''}><summary>${group.title}</summary>
<ul>
${operations.map((operation) => link(operation, operation.method))}
${callbacks.map((operation) => link(operation, 'callback'))}</ul></details>
`
  })
  return html`<h2>${title}</h2>
${sections}`
}

function introduction (
  document: Schema,
  parts: ReferencePart[],
  { base, token }: ReferenceReader
): Html {
  const lists = parts.map(({ title, groups }) => {
    const links = groups.map(({ name, title, operations }) => {
      const count = `${operations.length} ${operations.length === 1 ? 'call' : 'calls'}`
      return html`<li><a href="${home}/${name}">${title}</a> <small>${count}</small></li>
`
    })
    return html`<h2>${title}</h2>
<ul class="pages">
${links}</ul>
`
  })
  return html`<h1>${document.info.title} reference</h1>
<p>${document.info.summary} The examples work when pasted into a shell. They call
<code>${base}</code> with the token <code>${token}</code>.
In a browser with scripts, "Send" makes the call from the page.</p>
<p>The examples share one identifier, so you can run them in order.
The same reference for programs: <a href="/__admin/openapi.json">openapi.json</a>.</p>
${lists}`
}

function groupSection (
  document: Schema,
  { title, description, operations, callbacks }: ReferenceGroup,
  reader: ReferenceReader
): Html {
  return html`<h1>${title}</h1>
<p>${description}</p>
${operations.map((operation) => article(document, operation, reader))}
${callbacks.map((operation) => callbackArticle(document, operation))}`
}
