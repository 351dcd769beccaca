import { Type } from '../../src/lib/typebox.ts'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Accounts } from '../../src/accounts/registry.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { PaymentOption } from '../../src/domain/payment-options.ts'
import { internationalNumber } from '../../src/domain/phone-number.ts'
import { predict } from '../../src/domain/provider-prediction.ts'
import { Refused, type Refusal, type RefusalCode } from '../../src/domain/refusal.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import type { Ids } from '../../src/lib/ids.ts'
import { CustomerError, PhoneQuery } from '../../src/wire/pages.ts'
import { failureCode } from '../../src/wire/v2/answers.ts'
import type { ClockControl } from '../../simulator/clock-control.ts'
import { bodyLimit } from '../http/body.ts'
import type { RouteConfig } from '../http/context.ts'
import { isForm, readForms, readTexts } from './forms.ts'
import type { Html } from '../../src/lib/html.ts'
import type { EventStreams } from '../http/sse.ts'
import type { Reader } from './templates/layout.ts'

/**
 * What the addresses a customer is sent to have in common: no token, the unguessable end of the
 * path is the key.
 */

/** What the pages need beside what they show. */
export interface PageParts {
  accounts: Accounts
  catalogue: Catalogue
  ids: Ids
  clockControl: ClockControl
  eventStreams: EventStreams
  log: Logger
}

/** Everything else a customer can do wrong is 400. */
const statuses: Partial<Record<RefusalCode, number>> = {
  NOT_FOUND: 404,
  WRONG_STATE: 409,
  LINK_EXPIRED: 410,
  TOO_LARGE: 413,
  UNEXPECTED: 500
}

/** How anything a customer does can be refused. */
export const customerRefusals = Object.fromEntries(
  [400, ...Object.values(statuses)].map((status) => [status, CustomerError])
)

/** What a stream answers with. */
export const EventStream = {
  200: {
    description:
      'A stream of server-sent events: `state` with what the page shows, now and at every ' +
      'change, and `end` when nothing will change any more.',
    content: { 'text/event-stream': { schema: Type.String() } }
  },
  503: CustomerError
}

/** What the reference says of something a customer can do. */
export function pageCall (id: string, summary: string): RouteConfig {
  return { documentation: { id, summary, tag: 'customer' } }
}

/**
 * Prepares an app for customers: a body may be left out or be a form, and what goes wrong is said
 * as JSON, or as a page if a browser asks for one.
 */
export function handlePageErrors (app: FastifyInstance, log: Logger): void {
  readForms(app)
  // Where everything is fixed, there is nothing to send.
  app.addHook('preValidation', async (request) => {
    request.body ??= {}
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof Refused) return refusePage(request, reply, error)
    if (error.statusCode === 413) {
      return refusePage(request, reply, {
        code: 'TOO_LARGE',
        message: `the body is larger than ${bodyLimit} bytes`
      })
    }
    if (error.statusCode !== undefined && error.statusCode < 500) {
      return refusePage(request, reply, { code: 'UNREADABLE', message: error.message })
    }
    log.error(
      { err: error, method: request.method, url: request.url },
      'a request failed unexpectedly'
    )
    return refusePage(request, reply, {
      code: 'UNEXPECTED',
      message: 'something went wrong inside the mock; its log says what'
    })
  })
}

/** Refuses what a customer asked for. What else is known of it can go beside the error. */
export async function refusePage (
  request: FastifyRequest,
  reply: FastifyReply,
  { code, message }: Refusal,
  beside: object = {}
): Promise<FastifyReply> {
  reply.code(statusOf(code))
  if (wantsHtml(request)) {
    const { problemPage } = await import('./templates/problem.ts')
    return sendHtml(reply, problemPage(await createReader(request, reply), { code, message }))
  }
  return reply.send({
    ...beside,
    error: { code: failureCode(code), message, hint: hintFor(code, request) }
  })
}

export function statusOf (code: RefusalCode): number {
  return statuses[code] ?? 400
}

/** Does the caller prefer a page to JSON? Only browsers say so. */
export function wantsHtml (request: FastifyRequest): boolean {
  const { accept = '' } = request.headers
  const page = accept.indexOf('text/html')
  const json = accept.indexOf('application/json')
  return isForm(request) || (page !== -1 && (json === -1 || page < json))
}

/**
 * Who reads the page, and in which language; `wanted` is the merchant's, which the customer's own
 * choice overrules.
 */
export async function createReader (
  request: FastifyRequest,
  reply: FastifyReply,
  wanted?: string
): Promise<Reader> {
  const [{ languageFor }, { createSay: speak }] = await Promise.all([
    import('./templates/language.ts'),
    import('./templates/texts.ts')
  ])
  const language = languageFor(request, reply, wanted)
  return { request, language, say: speak(language) }
}

/** Loads and runs what is ours, asks nobody else, sends forms to us alone, and lies in no frame. */
const policy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src " +
  "'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Sends a page. */
export function sendHtml (reply: FastifyReply, { text }: Html): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .serializer((page: string) => page)
    .send(text)
}

/** Whose number this is, among the wallets that are offered; asked while the customer types. */
export function predictProvider (
  request: FastifyRequest,
  offers: PaymentOption[],
  catalogue: Catalogue
): object {
  const { country, phoneNumber } = readTexts(request.query as object) as typeof PhoneQuery.static
  const home = catalogue.countries.get(country ?? '')
  // A number of the country, or one that is written with the code of its own.
  const readings = [
    ...(home === undefined ? [] : [internationalNumber(phoneNumber, home)]),
    phoneNumber
  ].map((number) => predict(number, catalogue, 'phoneNumber'))
  const predicted = readings.find((reading) => !isRefusal(reading)) ?? readings[0]
  if (isRefusal(predicted)) throw new Refused(predicted.code, predicted.message)
  const { provider } = predicted
  if (!offers.some(({ providers }) => providers.includes(provider))) {
    throw new Refused(
      'PROVIDER_NOT_ENABLED',
      `phoneNumber '${predicted.phoneNumber}' is of ${provider.code}, with which this ` +
        'cannot be paid'
    )
  }
  return {
    country: predicted.country,
    provider: provider.code,
    displayName: provider.displayName,
    phoneNumber: predicted.phoneNumber
  }
}

/** What to do about it. */
function hintFor (code: RefusalCode, { url }: FastifyRequest): string {
  const page = url.split('?', 1)[0].split('/').slice(0, 3).join('/').slice(0, 200)
  switch (code) {
    case 'NOT_FOUND':
      return (
        'use the redirectUrl of the answer that opened it; a later one for the same deposit ' +
        'takes its place'
      )
    case 'LINK_EXPIRED':
      return 'have the merchant open a new session'
    case 'WRONG_STATE':
      return `GET ${page} with Accept: application/json shows where it stands`
    default:
      return `GET ${page} with Accept: application/json shows what can be chosen and what is fixed`
  }
}
