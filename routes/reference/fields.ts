import { resolveReference, type Schema } from '../../src/openapi/schema.ts'

/** One row of a table of fields. */
export interface Field {
  /** Path with dots: payer.accountDetails.provider. [] is each element of a list, * is any name. */
  name: string
  type: string
  required: boolean
  rule: string
}

/** The fields of a schema and of everything in it, in the order they are written. */
export function fieldsOf (document: Schema, schema: Schema, prefix = ''): Field[] {
  const { properties = {}, required = [], additionalProperties, items } = notNull(document, schema)
  const rows = Object.entries<Schema>(properties).flatMap(([key, inner]) =>
    row(document, inner, prefix + key, required.includes(key))
  )
  if (items !== undefined) {
    rows.push(...fieldsOf(document, items, `${prefix.replace(/\.$/, '')}[].`))
  }
  if (typeof additionalProperties === 'object') {
    rows.push(...row(document, additionalProperties, `${prefix}*`, false))
  }
  return rows
}

function row (document: Schema, schema: Schema, name: string, required: boolean): Field[] {
  return [
    { name, type: typeOf(document, schema), required, rule: ruleOf(document, schema) },
    ...fieldsOf(document, schema, `${name}.`)
  ]
}

/** Returns the other type of a field that can also be null. */
function notNull (document: Schema, schema: Schema): Schema {
  const here = resolveReference(document, schema)
  const others = (here.anyOf ?? []).filter(({ type }: Schema) => type !== 'null')
  return others.length > 0 ? resolveReference(document, others[0]) : here
}

/** The type of a schema in a word or two. */
export function typeOf (document: Schema, schema: Schema): string {
  const here = resolveReference(document, schema)
  if (here.anyOf !== undefined) {
    return here.anyOf.map((inner: Schema) => typeOf(document, inner)).join(' or ')
  }
  if (here.type === 'array') {
    return here.items === undefined ? 'list' : `list of ${typeOf(document, here.items)}s`
  }
  return here.type ?? 'anything'
}

function ruleOf (document: Schema, schema: Schema): string {
  const here = resolveReference(document, schema)
  const values: unknown[] | undefined = here.const !== undefined ? [here.const] : here.enum
  if (here.description !== undefined) return here.description
  return values === undefined ? '' : `${values.length > 1 ? 'one of ' : ''}${values.join(', ')}`
}
