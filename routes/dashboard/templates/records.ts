import { html, type Html } from '../../../src/lib/html.ts'

/** Records of a payment in all versions, side by side, with their differences marked. */

/** Relation of a field to the record of the other version. */
export type FieldRelation = 'same' | 'changed' | 'renamed' | 'alone'

/** Line of a record: a field with its value, or a bracket. */
export interface RecordLine {
  text: string
  relation: FieldRelation
  /** Name of the same value in the other version. */
  otherName?: string
}

const relationTexts: Record<Exclude<FieldRelation, 'same'>, string> = {
  changed: 'other value',
  renamed: 'other name',
  alone: 'only in this version'
}

type Json = Record<string, unknown>

/** Shows the records of a payment. */
export function recordsHtml (records: Record<string, unknown>, created: string): Html {
  const versions = Object.entries(records).filter((entry): entry is [string, Json] =>
    isObject(entry[1])
  )
  const legend = html`<p class="legend">${Object.entries(relationTexts).map(
    ([relation, text]) => html`<span class="mark ${relation}">${text}</span> `
  )}</p>`
  return html`${versions.length > 1 ? legend : undefined}
<div class="records">
${versions.map(([version, record]) => {
  const [otherVersion, other] = versions.find(([name]) => name !== version) ?? []
  const note = version === created ? ' (created with this version)' : ''
  const lines = other === undefined ? writePlain(record) : compareRecords(record, other)
  return html`<section><h3>${version}${note}</h3>
<pre class="record"><code>${lines.map((line) => lineHtml(line, otherVersion))}</code></pre>
</section>`
})}
</div>`
}

/** Line of a record. The style sheet indents it, so that its second half is indented, too. */
function lineHtml ({ text, relation, otherName }: RecordLine, otherVersion = ''): Html {
  const field = text.trimStart()
  const depth = (text.length - field.length) / 2
  if (relation === 'same') return html`<span class="line" data-depth="${depth}">${field}</span>`
  const note = otherName === undefined ? relationTexts[relation] : `${otherVersion}: ${otherName}`
  return html`<span class="line" data-depth="${depth}"><span
class="mark ${relation}">${field}</span> <span class="soft">${note}</span></span>`
}

function writePlain (record: Json): RecordLine[] {
  return JSON.stringify(record, null, 2)
    .split('\n')
    .map((text) => ({ text, relation: 'same' }))
}

/** Writes a record in lines, and relates each field to the record of the other version. */
export function compareRecords (record: Json, other: Json): RecordLine[] {
  const here = new Map(listFields(record))
  const there = new Map(listFields(other))
  const unmatched = [...there].filter(([path]) => !here.has(path))
  const relate = (path: string, value: unknown): Omit<RecordLine, 'text'> => {
    const written = JSON.stringify(value)
    if (there.has(path)) {
      return { relation: JSON.stringify(there.get(path)) === written ? 'same' : 'changed' }
    }
    const twin = unmatched.find(([, found]) => JSON.stringify(found) === written)
    return twin === undefined ? { relation: 'alone' } : { relation: 'renamed', otherName: twin[0] }
  }
  return writeLines(record, '', '', '', relate)
}

/** Lists the fields of a record without fields of their own, each with its path. */
function listFields (value: unknown, path = ''): Array<[path: string, value: unknown]> {
  if (!isObject(value) || Object.keys(value).length === 0) return [[path, value]]
  return Object.entries(value).flatMap(([name, field]) =>
    listFields(field, path === '' ? name : `${path}.${name}`)
  )
}

function writeLines (
  value: unknown,
  path: string,
  start: string,
  end: string,
  relate: (path: string, value: unknown) => Omit<RecordLine, 'text'>
): RecordLine[] {
  if (!isObject(value) || Object.keys(value).length === 0) {
    return [{ text: `${start}${JSON.stringify(value)}${end}`, ...relate(path, value) }]
  }
  const indent = start.slice(0, start.length - start.trimStart().length)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const entries = Object.entries(value)
  return [
    { text: `${start}${open}`, relation: 'same' },
    ...entries.flatMap(([name, field], n) =>
      writeLines(
        field,
        path === '' ? name : `${path}.${name}`,
        `${indent}  ${Array.isArray(value) ? '' : `${JSON.stringify(name)}: `}`,
        n === entries.length - 1 ? '' : ',',
        relate
      )
    ),
    { text: `${indent}${close}${end}`, relation: 'same' }
  ]
}

function isObject (value: unknown): value is Json {
  return typeof value === 'object' && value !== null
}
