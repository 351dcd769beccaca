import { parse, type ParsedUrlQuery } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import { Refused } from '../../src/domain/refusal.ts'
import { addBodyParser, wrongContentType } from './body.ts'
import type { TypedApp } from './typed-app.ts'

/** Forms that browsers submit: the fields of the JSON body, as people type them. */

const formType = 'application/x-www-form-urlencoded'
/** Longest field of a form, in characters. */
const longestField = 200

/** Tells whether a request is a submitted form. */
export function isForm ({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith(formType) === true
}

/**
 * Accepts forms besides JSON, but only from our own pages: another site could otherwise submit one
 * for a visitor.
 */
export function readForms (app: TypedApp, longest = longestField): void {
  addBodyParser(app, formType, (request, body) => {
    if (!isSameOrigin(request)) {
      throw new Refused('INVALID', 'a form can only be submitted from its own page')
    }
    const text = body.toString()
    if (/^\s*[{[]/.test(text)) throw wrongContentType(request.headers['content-type'], text)
    const fields = readLines(parse(text))
    refuseLong(fields, longest)
    return readTexts(fields, longest)
  })
}

/** Browsers send the end of a line as CR LF, which a text area counts as one character. */
function readLines (fields: ParsedUrlQuery): ParsedUrlQuery {
  const texts = Object.entries(fields).map(([name, value]) => {
    return [name, typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value]
  })
  return Object.fromEntries(texts)
}

/** A text that is cut would be stored without its end. */
function refuseLong (fields: ParsedUrlQuery, longest: number): void {
  for (const [name, value = ''] of Object.entries(fields)) {
    const { length } = typeof value === 'string' ? value.trim() : ''
    if (length <= longest) continue
    const [given, limit] = [length, longest].map((count) => count.toLocaleString('en-US'))
    throw new Refused('INVALID', `${name} has ${given} characters, and a form takes ${limit}`)
  }
}

/** Old browsers send no Sec-Fetch-Site header, but they send the Origin header. */
function isSameOrigin ({
  headers: { 'sec-fetch-site': site, origin, host }
}: FastifyRequest): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || URL.parse(origin)?.host === host
}

/** Reads the texts of a form or a query: trimmed, without empty ones. */
export function readTexts (fields: unknown, longest = longestField): Record<string, string> {
  if (typeof fields !== 'object' || fields === null) return {}
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const text = typeof value === 'string' ? value.trim().slice(0, longest) : ''
      return text === '' ? [] : [[name, text]]
    })
  )
}
