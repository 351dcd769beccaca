import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { createValidator } from '../../src/lib/validator.ts'
import type { CustomerChoice } from '../../src/domain/customer-choice.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { internationalNumber } from '../../src/domain/phone-number.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import { ChoiceBody } from '../../src/wire/pages.ts'
import { addBodyParser } from '../http/body.ts'
import type { TypedFields } from './templates/wallet.ts'
import { toRefusal } from '../http/schemas.ts'

/**
 * What browsers send when a form is submitted: the same fields as the JSON twin, as people type
 * them.
 */

const formType = 'application/x-www-form-urlencoded'
/** The fields a customer fills in. */
const fieldNames = Object.keys(ChoiceBody.properties).filter((name) => name !== 'attended')
/** No field of a form is longer. */
const longestField = 200

export function isForm ({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith(formType) === true
}

/**
 * Takes forms beside JSON, but only from our own pages: another site could otherwise submit one in
 * a visitor's name.
 */
export function readForms (app: FastifyInstance): void {
  addBodyParser(app, formType, (request, body) => {
    if (!isSameOrigin(request)) {
      throw new Refused('INVALID', 'a form can only be submitted from the page itself')
    }
    return readTexts(parse(body.toString()))
  })
}

/** Not every browser says how a form came about; those that do not say at least where from. */
function isSameOrigin ({
  headers: { 'sec-fetch-site': site, origin, host }
}: FastifyRequest): boolean {
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || URL.parse(origin)?.host === host
}

/** The fields of a form or a query that say something, without the blanks around them. */
export function readTexts (fields: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      const text = typeof value === 'string' ? value.trim().slice(0, longestField) : ''
      return text === '' ? [] : [[name, text]]
    })
  )
}

/** What a query or a form fills in beforehand. */
export function readTyped (fields: object): TypedFields {
  return Object.fromEntries(
    Object.entries(readTexts(fields)).filter(([name]) => fieldNames.includes(name))
  )
}

const choices = createValidator(ChoiceBody)

/**
 * A form as the choice it means, or what is wrong with it. Who submits one is there, in a browser.
 */
export function readChoice (
  typed: TypedFields,
  { countries, providers }: Catalogue
): CustomerChoice | Refusal {
  const { phoneNumber, amount, ...rest } = typed
  const home = providers.get(typed.provider ?? '')?.country
  // Who has chosen another country has not seen its providers yet.
  if (home !== undefined && typed.country !== undefined && home !== typed.country) {
    return {
      code: 'MISSING',
      message: `provider is required: one of ${typed.country}, since '${typed.provider}' is of ${home}`
    }
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
  const problem = choices.first(choice)
  return problem === undefined ? choice : toRefusal(problem, choice)
}

/** People write a comma before the decimals, and blanks between thousands. */
function plainAmount (amount: string): string {
  return amount.replace(/[\s\u00a0\u202f]/g, '').replace(/,(\d{1,2})$/, '.$1')
}
