import { createHash } from 'node:crypto'
import { html } from 'ghtml'
import { sampleOf } from '../../src/openapi/sample.ts'
import { resolveReference, type Schema } from '../../src/openapi/schema.ts'
import { fieldsOf, typeOf, type Field } from './fields.ts'
import { style } from './style.ts'

/** Address and token in the examples. */
export interface ReferenceReader {
  base: string
  token: string
  /** True if admin calls need the admin token. */
  guarded: boolean
}

interface Operation extends Schema {
  method: string
  path: string
}

/** The page loads nothing, and its content policy allows nothing else. */
export const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src " +
    `'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; ` +
    "form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer'
}

/** The reference as one page, made from the document alone. */
export function referencePage (document: Schema, reader: ReferenceReader): string {
  const groups: Array<{ name: string; tags: string[] }> = document['x-tagGroups']
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${document.info.title} reference</title>
<style>!${style}</style>
</head>
<body>
<header>
<h1>${document.info.title} <small>${document.info.version}</small></h1>
<p>${document.info.summary} The examples work when pasted into a shell; they call
<code>${reader.base}</code> with the token <code>${reader.token}</code>.
Their identifiers belong together: what one initiates, the others look up, resend, cancel or, once
it is completed, refund.
The same reference for programs: <a href="openapi.json">openapi.json</a>.</p>
</header>
<nav aria-label="Groups">
!${groups.map(groupLinks)}</nav>
<main>
!${groups.map(
    ({ name, tags }) => html`<h2>${name}</h2>
!${tags.map((tag) => section(document, tag, reader))}`
  )}</main>
</body>
</html>
`
}

function groupLinks ({ name, tags }: { name: string; tags: string[] }): string {
  const links = tags.map((tag) => html`<a href="#${anchor(tag)}">${shortName(tag)}</a> `)
  return html`<p><b>${name}</b> !${links}</p>
`
}

function section (document: Schema, tag: string, reader: ReferenceReader): string {
  const { description } = document.tags.find(({ name }: Schema) => name === tag)
  return html`<section id="${anchor(tag)}">
<h3>${shortName(tag)}</h3>
<p>${description}</p>
!${operationsOf(document.paths, tag).map((operation) => article(document, operation, reader))}
!${operationsOf(document.webhooks, tag).map((operation) => callbackArticle(document, operation))}
</section>
`
}

function operationsOf (paths: Schema, tag: string): Operation[] {
  const all = Object.entries<Schema>(paths).flatMap(([path, item]) =>
    Object.entries<Schema>(item).map(([method, operation]): Operation => ({
      ...operation,
      method: method.toUpperCase(),
      path
    }))
  )
  return all.filter(({ tags }) => tags.includes(tag))
}

function article (document: Schema, operation: Operation, reader: ReferenceReader): string {
  const {
    operationId,
    summary,
    description,
    method,
    path,
    parameters = [],
    requestBody,
    responses,
    security
  } = operation
  const body: Schema | undefined = requestBody?.content['application/json'].schema
  const openCall = security.length === 0 ? '<span>no token</span>' : ''
  const answers = Object.entries<Schema>(responses).map(([status, response]) =>
    responseTable(document, status, response)
  )
  const headed = parameterTable(document, 'Header', parameters)
  return html`<article id="${operationId}">
<h4>${summary}</h4>
<p class="call"><b>${method}</b> <code>${path}</code> !${openCall}</p>
!${description === undefined ? '' : formatProse(description)}
!${parameterTable(document, 'Path', parameters)}
!${parameterTable(document, 'Query', parameters)}
!${body === undefined ? '' : bodyTable(document, body)}
!${headed === '' ? '' : html`<details><summary>Headers</summary>!${headed}</details>`}
<h5>Answers</h5>
!${answers}
<h5>Example</h5>
<pre tabindex="0"><code>${curlCommand(operation, reader)}</code></pre>
</article>
`
}

function bodyTable (document: Schema, body: Schema): string {
  const type = typeOf(document, body)
  const { description = type } = resolveReference(document, body)
  return table(type === 'object' ? 'Body' : `Body: ${description}`, fieldsOf(document, body))
}

function callbackArticle (
  document: Schema,
  { operationId, summary, description, requestBody }: Operation
): string {
  const fields = fieldsOf(document, requestBody.content['application/json'].schema)
  return html`<article id="${operationId}">
<h4>Callback: ${summary}</h4>
<p class="call"><b>POST</b> <code>your callback URL</code></p>
!${formatProse(description)}
<details><summary>Body</summary>!${table('', fields)}</details>
</article>
`
}

function responseTable (
  document: Schema,
  status: string,
  { description, content = {} }: Schema
): string {
  const fields = fieldsOf(document, content['application/json']?.schema ?? {})
  if (fields.length === 0) return html`<p class="answer"><b>${status}</b> ${description}</p>`
  const open = status === '200' ? 'open' : ''
  const summary = html`<summary><b>${status}</b> ${description}</summary>`
  return html`<details !${open}>!${summary}!${table('', fields)}</details>`
}

function parameterTable (document: Schema, place: string, parameters: Schema[]): string {
  const rows = parameters
    .filter((parameter) => parameter.in === place.toLowerCase())
    .map(({ name, required = false, schema, description = '' }) => ({
      name,
      type: typeOf(document, schema),
      required,
      rule: description
    }))
  return rows.length === 0 ? '' : table(place === 'Header' ? '' : place, rows)
}

/** Sentences in which `words` are set apart. */
function formatProse (text: string): string {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
  return html`<p>!${parts}</p>`
}

function table (title: string, fields: Field[]): string {
  return html`!${title === '' ? '' : html`<h5>${title}</h5>`}
<div class="scroll" tabindex="0"><table>
<thead><tr><th>Field</th><th>Type</th><th>Required</th><th>Rule</th></tr></thead>
<tbody>
!${fields.map(row)}</tbody>
</table></div>
`
}

function row ({ name, type, required, rule }: Field): string {
  const cells = [type, required ? 'yes' : 'no', rule].map((text) => html`<td>${text}</td>`)
  return html`<tr><td><code>${name}</code></td>!${cells}</tr>
`
}

/** A command that makes the call. */
export function curlCommand (
  { method, path, parameters = [], requestBody, security }: Operation,
  { base, token, guarded }: ReferenceReader
): string {
  const filled = parameters.reduce(
    (url: string, { name, example }: Schema) =>
      url.replace(`{${name}}`, encodeURIComponent(String(example))),
    path
  )
  const query = parameters
    .filter(({ in: place, required }: Schema) => place === 'query' && required)
    .map(
      ({ name, example, schema }: Schema) =>
        `${name}=${encodeURIComponent(String(example ?? sampleOf(schema, name)))}`
    )
  const body = requestBody?.content['application/json'].example
  const address = `${base}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`
  return [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${quoted(address)}`,
    ...(security.length === 0 ? [] : [`-H ${quoted(`Authorization: Bearer ${token}`)}`]),
    ...(guarded && security.some((way: Schema) => 'adminToken' in way)
      ? ["-H 'X-Momock-Admin-Token: YOUR_ADMIN_TOKEN'"]
      : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(body, null, 2))}`])
  ].join(' \\\n  ')
}

function quoted (text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function anchor (tag: string): string {
  return tag.replaceAll(' ', '-')
}

function shortName (tag: string): string {
  return tag.split(' ').at(-1) as string
}
