import type { Static } from '@sinclair/typebox'
import type { SignatureExplanation } from '../../../src/admin-api/signatures.ts'
import { html, type Html } from '../../../src/lib/html.ts'
import { badge, codeBlock, disclosure, formatTime, table } from './parts.ts'

export type Explanation = Static<typeof SignatureExplanation>

/** Meaning of each component that a signature can cover. */
const meanings: Partial<Record<string, string>> = {
  '@method': 'the method of the request',
  '@authority': 'the host and port that it was sent to',
  '@path': 'the path of the URL',
  '@status': 'the status of the answer',
  'signature-date': 'the time of the signature',
  'content-digest': 'the digest of the body, so the body is signed, too',
  'content-type': 'the type of the body',
  'content-length': 'the length of the body'
}

/** Explains a signature: what it covers, how it was made, and whether it is valid. */
export function signatureHtml (id: string, explanation: Explanation): Html {
  const { valid, problems, hints, base, parameters, algorithm, encoding } = explanation
  const { keyid, created, expires } = parameters
  const facts = [
    ['Key', keyid],
    ['Algorithm', algorithm],
    ['Encoding', encoding],
    ['Created', showSeconds(created)],
    ['Expires', showSeconds(expires)]
  ].filter(([, value]) => value !== undefined)
  return disclosure(
    id,
    html`Signature ${valid ? badge('valid', 'OK') : badge('not valid', 'FAILED')}
<span class="soft">${problems[0]}</span>`,
    html`${problems.map((problem) => html`<p class="problem">${problem}.</p>`)}
${hints.map((hint) => html`<p class="note">${hint}.</p>`)}
<dl class="facts">${facts.map(
      ([name, value]) => html`<div><dt>${String(name)}</dt><dd>${String(value)}</dd></div>`
    )}</dl>
${componentTable(explanation)}
${base === undefined ? undefined : html`<h3>Signature base: the text that is signed</h3>`}
${base === undefined ? undefined : codeBlock(base)}`
  )
}

/** Signed components with their values, which stand in the signature base. */
function componentTable ({ components, base = '' }: Explanation): Html | undefined {
  if (components.length === 0) return undefined
  const lines = base.split('\n')
  const rows = components.map((component) => {
    const line = lines.find((text) => text.startsWith(`${component}: `)) ?? ''
    const name = component.slice(1).split('"', 1)[0]
    return [
      html`<code>${name}</code>`,
      html`<code>${line.slice(component.length + 2)}</code>`,
      meanings[name]
    ]
  })
  return table(['Signed component', ['Value', 'wrap'], ['Meaning', 'wrap']], rows)
}

function showSeconds (value: string | number | boolean | undefined): string | undefined {
  return typeof value === 'number' ? formatTime(value * 1000) : undefined
}
