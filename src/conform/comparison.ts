import { isObject } from '../lib/json.ts'
import type { Reply } from './caller.ts'
import type { Contract, Schema } from './contract.ts'
import { removeRepeats, jsonTypeOf, joinPath, withArticle, type Difference } from './differences.ts'
import { buildCheck, readCode, type Check, type Question } from './judgement.ts'
import { showName, showValue } from './redaction.ts'

/** Comparison of two servers by their answers to the same request. */

/** Fields of an answer with their types. An enum field also has its value (`word`). */
type Shape = Map<string, FieldShape>

interface FieldShape {
  types: Set<string>
  word?: string
  /** Values that the schema does not have, although it lists all values. */
  unknownWords: Set<string>
  /** Values that the schema has. */
  words?: readonly unknown[]
  dependsOnData: boolean
}

/** Depth limit for answers of unknown servers. Documented answers are not as deep. */
const deepest = 20

/** Judges the replies of two servers to one request. */
export function judgePair (
  question: Question,
  first: Reply,
  second: Reply,
  contract: Contract
): Check {
  if ('problem' in first || 'problem' in second) {
    return buildCheck(question, missingReplies(first, second))
  }
  const [a, b] = [first.answer, second.answer]
  if (a.status !== b.status) {
    const [codeA, codeB] = [a, b].map(({ status, body }) =>
      [status, readCode(body)]
        .filter((part) => part !== undefined)
        .map(showValue)
        .join(' ')
    )
    return buildCheck(question, [
      {
        kind: 'other-status',
        field: '',
        more: 'neither',
        message: `the first server answers ${codeA}, the second ${codeB}`
      }
    ])
  }
  if (a.isJson !== b.isJson) {
    const [json, other] = a.isJson ? ['first', 'second'] : ['second', 'first']
    return {
      ...buildCheck(question, [
        {
          kind: 'not-json',
          field: '',
          more: 'neither',
          message: `the ${json} server sends JSON, the ${other} does not`
        }
      ]),
      status: a.status
    }
  }
  const schema = question.operation.responses.get(a.status) ?? {}
  const [shapeA, shapeB] = [a, b].map(({ body }) => readShape(body, schema, contract))
  return { ...buildCheck(question, compareShapes(shapeA, shapeB)), status: a.status }
}

function missingReplies (first: Reply, second: Reply): Difference[] {
  const silent = [
    ['first', first],
    ['second', second]
  ] as const
  if (silent.every(([, reply]) => 'problem' in reply)) return []
  return silent.flatMap(([name, reply]) =>
    'problem' in reply
      ? [
          {
            kind: 'no-answer' as const,
            field: '',
            more: name === 'first' ? ('second' as const) : ('first' as const),
            message: `the ${name} server sends no answer (${reply.problem}), the other does`
          }
        ]
      : []
  )
}

function compareShapes (a: Shape, b: Shape): Difference[] {
  const fields = [...new Set([...a.keys(), ...b.keys()])]
  // A missing object is one difference. Its fields are not listed.
  const isListed = (field: string, other: Shape): boolean =>
    !/[.[]/.test(field) || other.has(field.replace(/(\[\]|\.[^.[]+)$/, ''))
  return removeRepeats(
    fields.flatMap((field): Difference[] => {
      const [inA, inB] = [a.get(field), b.get(field)]
      if (inA === undefined || inB === undefined) {
        const [more, less, found, other] =
          inA === undefined
            ? (['second', 'first', inB, a] as const)
            : (['first', 'second', inA, b] as const)
        if (found?.dependsOnData === true || !isListed(field, other)) return []
        return [
          {
            kind: 'unknown-field',
            field,
            more,
            message: `the ${more} server sends \`${field}\`, the ${less} does not`
          }
        ]
      }
      const types = [inA, inB].map(({ types }) =>
        [...types]
          .filter((type) => type !== 'null')
          .sort()
          .map(withArticle)
          .join(' or ')
      )
      if (types[0] !== types[1] && types.every((type) => type !== '')) {
        return [
          {
            kind: 'wrong-type',
            field,
            more: 'neither',
            message: `the first server sends ${types[0]} at \`${field}\`, the second ${types[1]}`
          }
        ]
      }
      const unknown = [
        ...findUnknownWords(field, inA, inB, 'first'),
        ...findUnknownWords(field, inB, inA, 'second')
      ]
      if (inA.word === inB.word) return unknown
      const kind = /code$/i.test(field) ? 'other-code' : 'other-outcome'
      return [
        {
          kind,
          field,
          more: 'neither',
          message:
            `the first server sends \`${inA.word ?? 'nothing'}\` in \`${field}\`, ` +
            `the second \`${inB.word ?? 'nothing'}\``
        }
      ]
    })
  )
}

/**
 * Words in lists and maps that only one server sends and the schema does not have. Other words
 * depend on the data of the accounts.
 */
function findUnknownWords (
  field: string,
  { unknownWords, words = [] }: FieldShape,
  other: FieldShape,
  more: 'first' | 'second'
): Difference[] {
  return [...unknownWords]
    .filter((word) => !other.unknownWords.has(word))
    .map((word) => ({
      kind: 'unknown-value',
      field,
      more,
      message:
        `only the ${more} server sends \`${word}\` in \`${field}\`, the schema has only ` +
        words.join(', ')
    }))
}

/**
 * Reads the shape of an answer. Optional fields inside lists and maps are marked, because they
 * depend on the data of the account.
 */
function readShape (body: unknown, schema: Schema, { resolve }: Contract): Shape {
  const shape: Shape = new Map()
  const walk = (
    value: unknown,
    unresolved: Schema,
    field: string,
    inList: boolean,
    isOptional: boolean
  ): void => {
    const resolved = resolve(unresolved)
    const schema =
      resolved.anyOf?.map(resolve).find(({ type }) => type === jsonTypeOf(value)) ?? resolved
    const words = schema.const === undefined ? schema.enum : [schema.const]
    const known = shape.get(field) ?? {
      types: new Set<string>(),
      unknownWords: new Set<string>(),
      dependsOnData: inList && isOptional
    }
    known.types.add(jsonTypeOf(value))
    if (words !== undefined && !inList) known.word = showValue(value)
    if (words !== undefined && inList && !words.includes(value)) {
      known.words = words
      known.unknownWords.add(showValue(value))
    }
    shape.set(field, known)
    if (field.split(/[.[]/).length > deepest) return
    if (Array.isArray(value)) {
      for (const item of value) walk(item, schema.items ?? {}, `${field}[]`, true, true)
    }
    if (!isObject(value)) return
    const { properties = {}, required = [], additionalProperties } = schema
    for (const [name, inner] of Object.entries(value)) {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined
      const isEntry = own === undefined && typeof additionalProperties === 'object'
      if (isEntry) walk(inner, additionalProperties, joinPath(field, '*'), true, true)
      else {
        walk(
          inner,
          own ?? {},
          joinPath(field, showName(name)),
          inList,
          own !== undefined && !required.includes(name)
        )
      }
    }
  }
  walk(body, schema, '', false, false)
  return shape
}
