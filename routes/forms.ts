import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Selection } from '../src/domain/attempt.ts'
import type { Catalogue } from '../src/domain/catalog.ts'
import { internationalNumber } from '../src/domain/phone.ts'
import { Refused } from '../src/domain/refusal.ts'
import { bodyLimit } from './body.ts'
import type { Typed } from './pages/wallet.ts'

/** What browsers send when a form is submitted: the same fields as the JSON twin, as people type them. */

const formType = 'application/x-www-form-urlencoded'
/** No field of a form is longer. */
const longestField = 200

export function isForm ({ headers }: FastifyRequest): boolean {
  return headers['content-type']?.toLowerCase().startsWith(formType) === true
}

/** Takes forms beside JSON, but only from our own pages: another site could otherwise submit one in a visitor's name. */
export function readForms (app: FastifyInstance): void {
  app.addContentTypeParser(formType, { parseAs: 'string', bodyLimit }, (request: FastifyRequest, body: string, done) => {
    const site = request.headers['sec-fetch-site'] ?? 'same-origin'
    if (site !== 'same-origin' && site !== 'none') done(new Refused('INVALID', 'a form can only be submitted from the page itself'))
    else done(null, texts(parse(body)))
  })
}

/** The fields of a form or a query that say something, without the blanks around them. */
export function texts (fields: object): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value.trim().slice(0, longestField) : ''
    return text === '' ? [] : [[name, text]]
  }))
}

/** What a query or a form fills in beforehand. */
export function typedIn (fields: object): Typed {
  const { country, provider, phoneNumber, currency, amount, preAuthorisationCode } = texts(fields)
  return { country, provider, phoneNumber, currency, amount, preAuthorisationCode }
}

/** A form as the choice it means. Who submits one is there, in a browser. */
export function choiceOf (typed: Typed, { countries, providers }: Catalogue): Selection {
  const { phoneNumber, amount, ...rest } = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== undefined)) as Typed
  const country = countries.get(providers.get(typed.provider ?? '')?.country ?? typed.country ?? '')
  return {
    ...rest,
    ...(phoneNumber !== undefined && { phoneNumber: country === undefined ? phoneNumber : internationalNumber(phoneNumber, country) }),
    ...(amount !== undefined && { amount: plainAmount(amount) }),
    attended: true
  }
}

/** People write a comma before the decimals, and blanks between thousands. */
function plainAmount (amount: string): string {
  return amount.replace(/[\s\u00a0\u202f]/g, '').replace(/,(\d{1,2})$/, '.$1')
}
