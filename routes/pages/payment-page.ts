import { wordOf } from '../../src/wire/fields.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CustomerChoice } from '../../src/domain/customer-choice.ts'
import { nextChange } from '../../src/domain/payment.ts'
import { isRefusal, type Refusal } from '../../src/domain/refusal.ts'
import { isFinal } from '../../src/domain/status.ts'
import { Type } from '../../src/lib/typebox.ts'
import type { PageVisit } from '../../src/services/payment-page.ts'
import { ChoiceBody, PhoneQuery, PredictionRecord } from '../../src/wire/pages.ts'
import { snapshotTag } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import {
  createReader,
  EventStream,
  handlePageErrors,
  pageCall,
  predictProvider,
  refusePage,
  sendHtml,
  statusOf,
  wantsHtml
} from './customer.ts'
import { isForm, readChoice, readTyped } from './forms.ts'
import {
  expiredPage,
  isExpired,
  PageRecord,
  returnLink,
  SessionPage,
  type SessionPageParts
} from './session-page.ts'
import type { TypedFields } from './templates/wallet-fields.ts'

const TokenPath = Type.Object({
  token: Type.String({ maxLength: 64, description: 'the token of a payment page' })
})

const PaymentAnswer = Type.Object({
  depositId: Type.String(),
  status: wordOf('ACCEPTED'),
  returnUrl: Type.String()
})

/** Pages and calls of the customer of a payment page. */
export function paymentPageRoutes (app: TypedApp, parts: SessionPageParts): void {
  handlePageErrors(app, parts.log)
  const page = new SessionPage(parts)
  addShowRoute(app, page, parts)
  addPayRoute(app, page, parts)
  addPredictRoute(app, page, parts)
  addFollowRoute(app, page, parts)
}

function addShowRoute (app: TypedApp, page: SessionPage, parts: SessionPageParts): void {
  app.get(
    '/pay/:token',
    {
      config: { ...pageCall('showPaymentPage', 'Show a payment page'), errors: [404, 410] },
      schema: { params: TokenPath, response: { 200: PageRecord } }
    },
    async (request, reply) => {
      const visit = await page.find(request.params.token)
      if (wantsHtml(request)) {
        if (isExpired(visit)) reply.statusCode = statusOf('LINK_EXPIRED')
        return await sendPage(request, reply, page, parts, visit, readTyped(request.query))
      }
      return isExpired(visit)
        ? await refusePage(request, reply, expiredPage(visit))
        : reply.header('cache-control', 'no-store').send(page.write(visit))
    }
  )
}

function addPayRoute (app: TypedApp, page: SessionPage, parts: SessionPageParts): void {
  app.post(
    '/pay/:token',
    {
      config: { ...pageCall('payOnPaymentPage', 'Pay on a payment page'), errors: [404, 409, 410] },
      attachValidation: true,
      schema: { params: TokenPath, body: ChoiceBody, response: { 201: PaymentAnswer } }
    },
    async (request, reply) => {
      const { token } = request.params
      if (isForm(request)) return await payByForm(request, reply, page, parts, token)
      if (request.validationError !== undefined) throw request.validationError
      const visit = await page.find(token)
      const { depositId } = visit.session.terms
      const returnUrl = returnLink(visit)
      const refusal = await pay(parts, visit, request.body)
      if (refusal === undefined) {
        return reply.code(201).send({ depositId, status: 'ACCEPTED', returnUrl })
      }
      if (refusal !== 'DUPLICATE') return await refusePage(request, reply, refusal)
      const { deposit } = await page.find(token)
      const status = deposit?.state.to ?? 'ACCEPTED'
      const message = `deposit '${depositId}' was already paid; it is ${status}`
      return await refusePage(
        request,
        reply,
        { code: 'WRONG_STATE', message },
        { depositId, status, returnUrl }
      )
    }
  )
}

function addPredictRoute (app: TypedApp, page: SessionPage, { catalogue }: SessionPageParts): void {
  app.get(
    '/pay/:token/prediction',
    {
      config: {
        ...pageCall(
          'predictOnPaymentPage',
          'Predict the provider of a phone number, among those that a payment page offers'
        ),
        errors: [404]
      },
      schema: { params: TokenPath, querystring: PhoneQuery, response: { 200: PredictionRecord } }
    },
    async ({ params, query }) => {
      const visit = await page.find(params.token)
      return predictProvider(query, page.offersOf(visit), catalogue)
    }
  )
}

function addFollowRoute (
  app: TypedApp,
  page: SessionPage,
  { clockControl, eventStreams }: SessionPageParts
): void {
  app.get(
    '/pay/:token/events',
    {
      config: { ...pageCall('followPaymentPage', 'Follow a payment page'), errors: [404] },
      schema: { params: TokenPath, response: EventStream }
    },
    async ({ params: { token } }, reply) =>
      await eventStreams.send(reply, async () => {
        const visit = await page.find(token)
        const { account, session, deposit } = visit
        const next =
          deposit === undefined
            ? session.expiresAt
            : nextChange(deposit.payment, clockControl.now(account))
        return {
          account,
          body: page.write(visit),
          topics: [{ id: session.terms.depositId }],
          final: isExpired(visit) || (deposit !== undefined && isFinal(deposit.state.to)),
          ...(next !== undefined && { next })
        }
      })
  )
}

/** Pays from the form of the page; the page shows the result or the problem. */
async function payByForm (
  request: FastifyRequest,
  reply: FastifyReply,
  page: SessionPage,
  parts: SessionPageParts,
  token: string
): Promise<FastifyReply> {
  const visit = await page.find(token)
  const typed = readTyped(request.body)
  const choice = readChoice(typed, parts.catalogue)
  const refusal = isRefusal(choice) ? choice : await pay(parts, visit, choice)
  if (refusal === undefined || refusal === 'DUPLICATE') {
    return reply.redirect(`/pay/${token}`, 303)
  }
  reply.code(statusOf(refusal.code))
  return await sendPage(request, reply, page, parts, visit, typed, refusal)
}

async function pay (
  { pages }: SessionPageParts,
  visit: PageVisit,
  choice: CustomerChoice
): Promise<Refusal | 'DUPLICATE' | undefined> {
  if (visit.deposit !== undefined) return 'DUPLICATE'
  if (visit.expired) return expiredPage(visit)
  const outcome = await pages.pay(visit, choice)
  return outcome === 'ACCEPTED' ? undefined : outcome
}

async function sendPage (
  request: FastifyRequest,
  reply: FastifyReply,
  page: SessionPage,
  { catalogue }: SessionPageParts,
  visit: PageVisit,
  typed: TypedFields,
  problem?: Refusal
): Promise<FastifyReply> {
  const { paymentHtml } = await import('./templates/payment.ts')
  const { language } = visit.session.terms
  return sendHtml(
    reply,
    paymentHtml(await createReader(request, reply, language), {
      visit,
      offers: page.offersOf(visit),
      mark: snapshotTag(page.write(visit), visit.account),
      typed,
      catalogue,
      problem,
      phone: page.phoneOf(visit)
    })
  )
}
