import { parse } from 'node:querystring'
import type { FastifyRequest } from 'fastify'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { CustomerChoice } from '../../src/domain/customer-choice.ts'
import { internationalNumber } from '../../src/domain/phone-number.ts'
import { refuse, Refused, type Refusal } from '../../src/domain/refusal.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { ChoiceBody } from '../../src/wire/pages.ts'
import { addBodyParser, wrongContentType } from '../http/body.ts'
import { toRefusal } from '../http/schemas.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { TypedFields } from './templates/wallet-fields.ts'

/** Forms that browsers submit: the fields of the JSON body, as people type them. */

const formType = 'application/x-www-form-urlencoded'
/** Fields that a customer fills in. */
const fieldNames = Object.keys(ChoiceBody.properties).filter((name) => name !== 'attended')
/** Longest field of a form, in characters. */
const longestField = 200

const choiceValidator = createValidator(ChoiceBody, 'the body')

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
    return readTexts(parse(text), longest)
  })
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

/** Reads the fields of a query or a form that prefill the page. */
export function readTyped (fields: unknown): TypedFields {
  return Object.fromEntries(
    Object.entries(readTexts(fields)).filter(([name]) => fieldNames.includes(name))
  )
}

/** Reads the choice of a customer from a form. A customer who submits a form is present. */
export function readChoice (
  typed: TypedFields,
  { countries, providers }: Catalogue
): CustomerChoice | Refusal {
  const { phoneNumber, amount, ...rest } = typed
  const home = providers.get(typed.provider ?? '')?.country
  // After a change of the country, the page still has the providers of the old one.
  if (home !== undefined && typed.country !== undefined && home !== typed.country) {
    return refuse(
      'MISSING',
      `provider is required: one of ${typed.country}, because '${typed.provider}' belongs to ` +
        home,
      'provider'
    )
  }
  const country = countries.get(home ?? typed.country ?? '')
  const choice = {
    ...rest,
    ...(phoneNumber !== undefined && {
      phoneNumber: country === undefined ? phoneNumber : internationalNumber(phoneNumber, country)
    }),
    ...(amount !== undefined && { amount: plainAmount(amount) }),
    attended: true
  }
  const problem = choiceValidator.first(choice)
  return problem === undefined ? choice : toRefusal(problem, choice)
}

/** Normalises an amount: people write a comma before decimals, and spaces between thousands. */
function plainAmount (amount: string): string {
  return amount.replace(/[\s\u00a0\u202f]/g, '').replace(/,(\d{1,2})$/, '.$1')
}
