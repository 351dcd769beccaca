import { html, type Html } from '../../src/lib/html.ts'
import { resolveReference, type Schema } from '../../src/openapi/schema.ts'
import { curlCommand, fillAddress, type Operation, type ReferenceReader } from './command.ts'
import { fieldsOf, typeOf, type Field } from './fields.ts'
import { sampleAnswer } from './sample-answer.ts'

/** Description of one operation, with its command and its sample answers. */
export function article (document: Schema, operation: Operation, reader: ReferenceReader): Html {
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
  const openCall = security.length === 0 ? html`<span>no token</span>` : undefined
  const answers = Object.entries<Schema>(responses).map(([status, response]) =>
    responseTable(document, status, response)
  )
  const headed = parameterTable(document, 'Header', parameters)
  return html`<article id="${operationId}">
<h2>${summary}</h2>
<p class="call"><b>${method}</b> <code>${path}</code> ${openCall}</p>
${description === undefined ? undefined : formatProse(description)}
${parameterTable(document, 'Path', parameters)}
${parameterTable(document, 'Query', parameters)}
${body === undefined ? undefined : bodyTable(document, body)}
${headed === undefined ? undefined : html`<details><summary>Headers</summary>${headed}</details>`}
<h3>Example</h3>
<div class="copied"><pre tabindex="0"><code>${curlCommand(operation, reader)}</code></pre></div>
${sendForm(operation, reader)}
<h3>Answers</h3>
${answers}
</article>
`
}

/** Form that sends the example from the page. The script shows it. */
function sendForm (operation: Operation, { token, guarded }: ReferenceReader): Html {
  const { operationId, method, requestBody, security } = operation
  const body = requestBody?.content['application/json'].example
  const field = (name: string, label: string, value: string): Html => {
    const id = `${operationId}-${name}`
    return html`<p><label for="${id}">${label}</label>
<input id="${id}" name="${name}" value="${value}" autocomplete="off" spellcheck="false"></p>`
  }
  const bodyId = `${operationId}-body`
  const isAdmin = security.some((way: Schema) => 'adminToken' in way)
  return html`<form class="send" data-method="${method}" hidden>
${field('path', 'Path', fillAddress(operation))}
${security.length === 0 ? undefined : field('token', 'Token of the account', token)}
${guarded && isAdmin ? field('adminToken', 'Admin token', '') : undefined}
${
    body === undefined
      ? undefined
      : html`<p><label for="${bodyId}">Body</label>
<textarea id="${bodyId}" name="body" rows="8" spellcheck="false">
${JSON.stringify(body, null, 2)}</textarea></p>`
  }
<p><button type="submit">Send ${method}</button>
${newIdButton(operation)}</p>
<div class="result" role="status"></div>
</form>
`
}

/** Button that puts a new identifier into the body of an initiation. */
function newIdButton ({ path, method, requestBody }: Operation): Html | undefined {
  const body: unknown = requestBody?.content['application/json'].example
  // The identifier comes first. A body with nothing else names an existing payment.
  const [field, ...others] = Object.keys((Array.isArray(body) ? body[0] : body) ?? {})
  const isInitiation = method === 'POST' && !path.startsWith('/__admin/') && others.length > 0
  if (!isInitiation || !field.endsWith('Id')) return undefined
  return html`<button type="button" class="new-id" data-field="${field}">New ${field}</button>`
}

function bodyTable (document: Schema, body: Schema): Html {
  const type = typeOf(document, body)
  const { description = type } = resolveReference(document, body)
  return table(type === 'object' ? 'Body' : `Body: ${description}`, fieldsOf(document, body))
}

/** Description of one callback. */
export function callbackArticle (
  document: Schema,
  { operationId, summary, description, requestBody }: Operation
): Html {
  const { schema } = requestBody.content['application/json']
  const fields = fieldsOf(document, schema)
  const sample = JSON.stringify(sampleAnswer(document, schema), null, 2)
  return html`<article id="${operationId}">
<h2>Callback: ${summary}</h2>
<p class="call"><b>POST</b> <code>your callback URL</code></p>
${formatProse(description)}
<h3>Example</h3>
<div class="copied"><pre tabindex="0"><code>${sample}</code></pre></div>
<details><summary>Body</summary>${table('', fields)}</details>
</article>
`
}

function responseTable (
  document: Schema,
  status: string,
  { description, content = {} }: Schema
): Html {
  const schema: Schema | undefined = content['application/json']?.schema
  const summary = html`<b>${status}</b> ${description}`
  if (schema === undefined) return html`<p class="answer">${summary}</p>`
  const sample = JSON.stringify(sampleAnswer(document, schema), null, 2)
  const fields = fieldsOf(document, schema)
  return html`<details><summary>${summary}</summary>
<div class="copied"><pre tabindex="0"><code>${sample}</code></pre></div>
${fields.length === 0 ? undefined : table('', fields)}</details>`
}

function parameterTable (document: Schema, place: string, parameters: Schema[]): Html | undefined {
  const rows = parameters
    .filter((parameter) => parameter.in === place.toLowerCase())
    .map(({ name, required = false, schema, description = '' }) => ({
      name,
      type: typeOf(document, schema),
      required,
      rule: description
    }))
  return rows.length === 0 ? undefined : table(place === 'Header' ? '' : place, rows)
}

/** Sentences in which `words` are set apart. */
function formatProse (text: string): Html {
  const parts = text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))
  return html`<p>${parts}</p>`
}

function table (title: string, fields: Field[]): Html {
  return html`${title === '' ? undefined : html`<h3>${title}</h3>`}
<div class="scroll" tabindex="0"><table>
<thead><tr><th>Field</th><th>Type</th><th>Required</th><th>Rule</th></tr></thead>
<tbody>
${fields.map(row)}</tbody>
</table></div>
`
}

function row ({ name, type, required, rule }: Field): Html {
  const cells = [type, required ? 'yes' : 'no', rule].map((text) => html`<td>${text}</td>`)
  return html`<tr><td><code>${name}</code></td>${cells}</tr>
`
}
