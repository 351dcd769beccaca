import type { ByStatus, Fields, Form, Format, Operation, Shape } from './fields.ts'
import { formats, types } from './fields.ts'
import * as v1 from './v1.ts'
import * as v2 from './v2.ts'

/** Judges answers and callbacks by the vendor's contract. */

export type Version = 'v1' | 'v2'

const versions = { v1, v2 }

interface Row extends Operation {
  pattern: RegExp
}

/** Calls, those with fewer holes in their paths first. */
const rows: Row[] = [...v1.operations, ...v2.operations]
  .map((operation) => ({
    ...operation,
    pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+')}/?$`)
  }))
  .sort((a, b) => a.path.split('{').length - b.path.split('{').length)

/** Returns what is wrong with an answer of the API, or undefined. Other paths are not judged. */
export function judgeAnswer (
  method: string,
  path: string,
  status: number,
  body: unknown
): string | undefined {
  const bare = path.split('?', 1)[0].replace(/\/+/g, '/')
  const row = rows.find((row) => row.method === method && row.pattern.test(bare))
  if (row === undefined) return judgeMissing(bare, status, body)
  const form = row.answers[status] ?? row.answers[`${Math.floor(status / 100)}XX`]
  if (form === undefined) return `status ${status} is not in the contract of ${row.path}`
  return differences(form, body, 'body')
}

/** What no version has is refused in the words of its version. */
function judgeMissing (path: string, status: number, body: unknown): string | undefined {
  const isError = typeof body === 'object' && body !== null && 'errorId' in body
  if (!path.startsWith('/v2/') && !isError) return undefined
  const form = versions[isError ? 'v1' : 'v2'].missing[status]
  if (form === undefined) return `it answers ${status} and is not in the contract`
  return differences(form, body, 'body')
}

/** Returns what is wrong with a callback, or undefined. */
export function judgeCallback (
  idField: string,
  version: Version,
  body: unknown
): string | undefined {
  const form = versions[version].callbacks[idField]
  if (form === undefined) return `${version} has no callback that begins with '${idField}'`
  return differences(form, body, 'body')
}

/** Kind and version of a callback, as a merchant finds them out. */
export function readCallback (body: Record<string, unknown>): [idField: string, version: Version] {
  const [idField = 'nothing'] = Object.keys(body)
  return [idField, 'correspondent' in body ? 'v1' : 'v2']
}

function differences (form: Form, value: unknown, at: string): string | undefined {
  if (typeof form === 'string') return judgeText(form, value, at)
  if (isWords(form)) {
    return form.includes(value as string)
      ? undefined
      : `${at} is ${JSON.stringify(value)}, and must be one of ${form.join(', ')}`
  }
  if ('list' in form) return judgeList(form, value, at)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `${at} is ${JSON.stringify(value)}, and must be an object`
  }
  if ('map' in form) {
    return first(Object.entries(value), ([key, one]) => differences(form.map, one, `${at}.${key}`))
  }
  if ('byStatus' in form) return judgeStatus(form, value, at)
  return judgeObject(form, value, at)
}

function isWords (form: Form): form is readonly string[] {
  return Array.isArray(form)
}

function judgeText (format: Format, value: unknown, at: string): string | undefined {
  const fits =
    format in types
      ? types[format as keyof typeof types](value)
      : typeof value === 'string' && formats[format as keyof typeof formats].test(value)
  return fits ? undefined : `${at} is ${JSON.stringify(value)}, which is no ${format}`
}

function judgeList (
  { list, atLeast = 0, atMost = Infinity }: { list: Form; atLeast?: number; atMost?: number },
  value: unknown,
  at: string
): string | undefined {
  if (!Array.isArray(value)) return `${at} is ${JSON.stringify(value)}, and must be a list`
  if (value.length < atLeast || value.length > atMost) return `${at} has ${value.length} elements`
  return first([...value.entries()], ([n, one]) => differences(list, one, `${at}.${n}`))
}

function judgeStatus ({ byStatus }: ByStatus, value: object, at: string): string | undefined {
  const { status, ...rest } = value as Record<string, unknown>
  if (typeof status !== 'string' || !Object.hasOwn(byStatus, status)) {
    const words = Object.keys(byStatus).join(', ')
    return `${at}.status is ${JSON.stringify(status)}, and must be one of ${words}`
  }
  return judgeObject(byStatus[status], rest, `${at} (${status})`)
}

function judgeObject ({ must, may = {} }: Shape, value: object, at: string): string | undefined {
  const missing = Object.keys(must).find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${at} has no ${missing}`
  const known: Fields = { ...may, ...must }
  return first(Object.entries(value), ([name, one]) =>
    Object.hasOwn(known, name)
      ? differences(known[name], one, `${at}.${name}`)
      : `${at} has a field ${name}, which is not in the contract`
  )
}

function first<T> (items: T[], judge: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const problem = judge(item)
    if (problem !== undefined) return problem
  }
  return undefined
}
