import { sampleOf } from '../../src/openapi/sample.ts'
import { resolveReference, type Schema } from '../../src/openapi/schema.ts'

/** Example of an answer with a schema of the document. */
export function sampleAnswer (document: Schema, schema: Schema): unknown {
  return sampleOf(inlineReferences(document, schema) as Schema, '')
}

/** Replaces references by their schemas. A list shows one element. */
function inlineReferences (document: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((inner) => inlineReferences(document, inner))
  if (typeof value !== 'object' || value === null) return value
  const inlined = Object.fromEntries(
    Object.entries(resolveReference(document, value)).map(([key, inner]) => [
      key,
      inlineReferences(document, inner)
    ])
  )
  return inlined.type === 'array' ? { minItems: 1, ...inlined } : inlined
}
