import type { TObject, TSchema, TString } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Account } from '../../src/domain/account.ts'
import type { CustomerChoice } from '../../src/domain/customer-choice.ts'
import type { PaymentOption } from '../../src/domain/payment-options.ts'
import type { Refusal, RefusalCode } from '../../src/domain/refusal.ts'
import type { Html } from '../../src/lib/html.ts'
import { Type } from '../../src/lib/typebox.ts'
import { ChoiceBody } from '../../src/wire/pages.ts'
import { readScenarioHeader } from '../http/api-route.ts'
import { isForm } from '../http/forms.ts'
import { sendHtml, wantsHtml } from '../http/html.ts'
import type { PhoneLink } from '../http/phone-link.ts'
import { snapshotTag, type PageSnapshot } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import {
  createReader,
  customerPage,
  EventStream,
  handlePageErrors,
  pageCall,
  refusePage,
  statusOf,
  type PageParts
} from './customer.ts'
import {
  fillTestNumber,
  listShownProblems,
  readChoice,
  readOutcome,
  readTyped,
  returnForm
} from './customer-form.ts'
import { addPredictRoute } from './prediction.ts'
import type { Reader } from './templates/layout.ts'
import type { TypedFields, WalletForm } from './templates/wallet-fields.ts'

/**
 * A page on which a customer chooses how to pay, and its five calls: show it, pay, predict a
 * provider, follow it. The checkout and the payment page are rows of this.
 */

/** Form of a page, and what was typed into it. */
interface FormModel<Visit> {
  visit: Visit
  offers: PaymentOption[]
  typed: TypedFields
  problems: readonly Refusal[]
  catalogue: PageParts['catalogue']
}

/** All that a page shows. */
interface PageModel<Visit> extends FormModel<Visit> {
  mark: string
  phone?: PhoneLink
}

/** Result of an attempt to pay: the answer, or the refusal with more fields for it. */
export type Paid = { answer: object } | { refusal: Refusal; fields?: Record<string, string> }

export interface PayPage<Visit extends { account: Account }> {
  /** Address up to the key of the page. */
  base: '/checkout' | '/pay'
  /** Name and description of the key in the address. */
  key: [name: string, description: string]
  /** Where the form is sent, below the page. */
  payPath: '/attempts' | ''
  /** Name in the reference. */
  name: string
  /** Identifiers and summaries of the calls, and their errors. */
  calls: Record<'show' | 'pay' | 'follow', [id: string, summary: string, errors: number[]]> & {
    predict: string
  }
  /** The page as JSON. */
  record: TSchema
  /** Answer to an accepted payment. */
  paid: TSchema
  find: (key: string) => Promise<Visit>
  write: (visit: Visit) => object
  offersOf: (visit: Visit) => PaymentOption[]
  phoneOf: (visit: Visit) => PhoneLink | undefined
  /** Language that the merchant asked for. */
  languageOf: (visit: Visit) => string | undefined
  /** Why a page that exists is not shown to programs. */
  whyClosed: (visit: Visit) => Refusal | undefined
  pay: (visit: Visit, choice: CustomerChoice, scenario?: string) => Promise<Paid>
  listProblems: (visit: Visit, choice: CustomerChoice) => Refusal[]
  /** What a stream of the page follows. */
  follow: (visit: Visit) => Pick<PageSnapshot, 'topics' | 'final' | 'next'>
  /** Makes the form; its template is loaded when it is needed. */
  wallet: (model: FormModel<Visit>) => Promise<WalletForm>
  html: (reader: Reader, model: PageModel<Visit>) => Promise<Html>
}

/** Refusals of a form that the page itself explains. */
const explained: readonly RefusalCode[] = ['WRONG_STATE', 'LINK_EXPIRED']

/** Adds the calls of a page. */
export function addPayPage<Visit extends { account: Account }> (
  app: TypedApp,
  page: PayPage<Visit>,
  parts: PageParts
): void {
  const { base, calls } = page
  const [name, description] = page.key
  const path = `${base}/:${name}`
  const params = Type.Object({ [name]: Type.String({ maxLength: 64, description }) })
  handlePageErrors(app, parts.log)
  addShowRoute(app, page, parts, params)
  addPayRoute(app, page, parts, params)
  addPredictRoute(
    app,
    {
      path,
      params,
      id: calls.predict,
      name: page.name,
      findOptions: async (params) => page.offersOf(await page.find(params[name]))
    },
    parts.catalogue
  )
  app.get(
    `${path}/events`,
    {
      config: { ...pageCall(calls.follow[0], calls.follow[1]), errors: calls.follow[2] },
      schema: { params, response: EventStream }
    },
    async (request, reply) =>
      await parts.eventStreams.send(reply, async () => {
        const visit = await page.find(request.params[name])
        return { account: visit.account, body: page.write(visit), ...page.follow(visit) }
      })
  )
}

/** Schema of the key in the address of a page. */
type KeyPath = TObject<Record<string, TString>>

function addShowRoute<Visit extends { account: Account }> (
  app: TypedApp,
  page: PayPage<Visit>,
  parts: PageParts,
  params: KeyPath
): void {
  const { base, calls, key: [name] } = page
  app.get(
    `${base}/:${name}`,
    {
      config: { ...customerPage(calls.show[0], calls.show[1]), errors: calls.show[2] },
      schema: { params, response: { 200: page.record } }
    },
    async (request, reply) => {
      const key = request.params[name]
      const visit = await page.find(key)
      const closed = page.whyClosed(visit)
      if (wantsHtml(request)) {
        if (closed !== undefined) reply.statusCode = statusOf(closed.code)
        return (
          fillTestNumber(reply, `${base}/${key}`, request.query) ??
          (await sendPage(page, parts, visit, request, reply))
        )
      }
      return closed === undefined
        ? reply.header('cache-control', 'no-store').send(page.write(visit))
        : await refusePage(request, reply, closed)
    }
  )
}

function addPayRoute<Visit extends { account: Account }> (
  app: TypedApp,
  page: PayPage<Visit>,
  parts: PageParts,
  params: KeyPath
): void {
  const { base, calls, key: [name] } = page
  app.post(
    `${base}/:${name}${page.payPath}`,
    {
      config: { ...pageCall(calls.pay[0], calls.pay[1]), errors: calls.pay[2] },
      attachValidation: true,
      schema: { params, body: ChoiceBody, response: { 201: page.paid } }
    },
    async (request, reply) => {
      const key = request.params[name]
      if (isForm(request)) {
        return await payByForm(page, parts, await page.find(key), `${base}/${key}`, request, reply)
      }
      if (request.validationError !== undefined) throw request.validationError
      const paid = await page.pay(await page.find(key), request.body, readScenarioHeader(request))
      return 'answer' in paid
        ? reply.code(201).send(paid.answer)
        : await refusePage(request, reply, paid.refusal, paid.fields)
    }
  )
}

/** Pays from the form of the page; the page shows the result or the problems. */
async function payByForm<Visit extends { account: Account }> (
  page: PayPage<Visit>,
  { catalogue }: PageParts,
  visit: Visit,
  address: string,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<FastifyReply> {
  const offers = page.offersOf(visit)
  const { typed, scenario } = await readOutcome(
    request.body,
    async (typed) => await page.wallet({ visit, offers, typed, problems: [], catalogue })
  )
  const read = readChoice(typed, catalogue)
  const unread = read.problems.at(0)
  const paid = unread ? { refusal: unread } : await page.pay(visit, read.choice, scenario)
  if ('answer' in paid || explained.includes(paid.refusal.code)) {
    return reply.redirect(address, 303)
  }
  const problems = [...read.problems, ...page.listProblems(visit, read.choice)]
  return returnForm(reply, address, typed, paid.refusal, problems)
}

async function sendPage<Visit extends { account: Account }> (
  page: PayPage<Visit>,
  { catalogue }: PageParts,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<FastifyReply> {
  const { query } = request
  const typed = readTyped(query)
  const html = await page.html(await createReader(request, reply, page.languageOf(visit)), {
    visit,
    offers: page.offersOf(visit),
    mark: snapshotTag(page.write(visit), visit.account),
    typed,
    catalogue,
    problems: listShownProblems(query, readChoice(typed, catalogue), (choice) =>
      page.listProblems(visit, choice)
    ),
    phone: page.phoneOf(visit)
  })
  return sendHtml(reply, html)
}
