import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Accounts } from '../../src/accounts/registry.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { retryAfter } from '../../src/ports/ledger-error.ts'
import type { Refusal, RefusalCode } from '../../src/domain/refusal.ts'
import type { Ids } from '../../src/lib/ids.ts'
import { Type } from '../../src/lib/typebox.ts'
import { CustomerError } from '../../src/wire/pages.ts'
import { failureCode } from '../../src/wire/v2/answers.ts'
import type { ClockControl } from '../../simulator/clock-control.ts'
import type { RouteConfig } from '../http/context.ts'
import type { EventStreams } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { explainError } from '../http/unexpected.ts'
import { readForms, readTexts } from '../http/forms.ts'
import { sendHtml, wantsHtml } from '../http/html.ts'
import type { Reader } from './templates/layout.ts'

/**
 * Parts that all pages for customers share. These pages need no token: the unguessable end of the
 * path is the key.
 */

export interface PageParts {
  accounts: Accounts
  catalogue: Catalogue
  ids: Ids
  clockControl: ClockControl
  eventStreams: EventStreams
  log: Logger
}

/** HTTP status of each refusal code; the others are 400. */
const statuses: Partial<Record<RefusalCode, number>> = {
  NOT_AUTHORISED: 403,
  NOT_FOUND: 404,
  WRONG_STATE: 409,
  LINK_EXPIRED: 410,
  TOO_LARGE: 413,
  UNEXPECTED: 500,
  UNAVAILABLE: 503
}

/** Answer of a stream of server-sent events. */
export const EventStream = {
  200: {
    description:
      'A stream of server-sent events: `state` with the content of the page, now and after each ' +
      'change, and `end` when nothing can change any more.',
    content: { 'text/event-stream': { schema: Type.String() } }
  },
  503: CustomerError
}

/** Documents a page of a customer: HTML, unless the client asks for JSON. */
export function customerPage (id: string, summary: string): RouteConfig {
  return { ...pageCall(id, summary), isPage: true }
}

/** Documents a call of a customer. */
export function pageCall (id: string, summary: string): RouteConfig {
  return { documentation: { id, summary, tag: 'customer' } }
}

/**
 * Prepares an app for customers: the body is optional and may be a form, and errors are JSON, or a
 * page for browsers.
 */
export function handlePageErrors (app: TypedApp, log: Logger): void {
  readForms(app)
  // A customer sends no body if the merchant has fixed every choice.
  app.addHook('preValidation', async (request) => {
    request.body ??= {}
  })
  app.setErrorHandler((error: FastifyError, request, reply) =>
    refusePage(request, reply, explainError(error, request, log))
  )
}

/** Refuses a request of a customer. `fields` are added to the JSON answer. */
export async function refusePage (
  request: FastifyRequest,
  reply: FastifyReply,
  { code, message }: Refusal,
  fields: Record<string, string> = {}
): Promise<FastifyReply> {
  reply.code(statusOf(code))
  if (code === 'UNAVAILABLE') reply.header('retry-after', retryAfter)
  if (wantsHtml(request)) {
    const { problemPage } = await import('./templates/problem.ts')
    return sendHtml(reply, problemPage(await createReader(request, reply), { code, message }))
  }
  return reply.send({
    ...fields,
    error: { code: failureCode(code), message, hint: hintFor(code, request) }
  })
}

/** Returns the HTTP status of a refusal. */
export function statusOf (code: RefusalCode): number {
  return statuses[code] ?? 400
}

/**
 * Creates the reader of a page. The language that the customer chose overrules the language that
 * the merchant asked for.
 */
export async function createReader (
  request: FastifyRequest,
  reply: FastifyReply,
  merchantLanguage?: string
): Promise<Reader> {
  const [{ chooseLanguage }, { createSay }] = await Promise.all([
    import('./language.ts'),
    import('./templates/texts.ts')
  ])
  const query = readTexts(request.query)
  const language = chooseLanguage(request, reply, query.lang, merchantLanguage)
  return { query, language, say: createSay(language) }
}

function hintFor (code: RefusalCode, { url }: FastifyRequest): string {
  const page = url.split('?', 1)[0].split('/').slice(0, 3).join('/').slice(0, 200)
  switch (code) {
    case 'NOT_FOUND':
      return 'use the redirectUrl of the latest answer for this payment'
    case 'LINK_EXPIRED':
      return 'the merchant has to open a new session'
    case 'WRONG_STATE':
      return `GET ${page} with Accept: application/json shows its state`
    default:
      return `GET ${page} with Accept: application/json shows what can be chosen and what is fixed`
  }
}
