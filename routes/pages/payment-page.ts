import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CustomerChoice } from '../../src/domain/customer-choice.ts'
import { nextChange } from '../../src/domain/payment.ts'
import type { Refusal } from '../../src/domain/refusal.ts'
import { isFinal } from '../../src/domain/status.ts'
import { answerWord, Type } from '../../src/lib/typebox.ts'
import type { PageVisit } from '../../src/services/payment-page.ts'
import { ChoiceBody } from '../../src/wire/pages.ts'
import { readScenarioHeader } from '../http/api-route.ts'
import { snapshotTag } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { sendHtml, wantsHtml } from '../http/html.ts'
import {
  createReader,
  customerPage,
  EventStream,
  handlePageErrors,
  pageCall,
  refusePage,
  statusOf
} from './customer.ts'
import {
  fillTestNumber,
  listShownProblems,
  readChoice,
  readOutcome,
  readTyped,
  returnForm
} from './customer-form.ts'
import { isForm } from '../http/forms.ts'
import { addPredictRoute } from './prediction.ts'
import {
  expiredPage,
  isExpired,
  PageRecord,
  returnLink,
  SessionPage,
  type SessionPageParts
} from './session-page.ts'

const TokenPath = Type.Object({
  token: Type.String({ maxLength: 64, description: 'the token of a payment page' })
})

const PaymentAnswer = Type.Object({
  depositId: Type.String(),
  status: answerWord('ACCEPTED'),
  returnUrl: Type.String()
})

/** Pages and calls of the customer of a payment page. */
export function paymentPageRoutes (app: TypedApp, parts: SessionPageParts): void {
  handlePageErrors(app, parts.log)
  const page = new SessionPage(parts)
  addShowRoute(app, page, parts)
  addPayRoute(app, page, parts)
  addPredictRoute(
    app,
    {
      path: '/pay/:token',
      params: TokenPath,
      id: 'predictOnPaymentPage',
      name: 'payment page',
      findOptions: async ({ token }) => page.offersOf(await page.find(token))
    },
    parts.catalogue
  )
  addFollowRoute(app, page, parts)
}

function addShowRoute (app: TypedApp, page: SessionPage, parts: SessionPageParts): void {
  app.get(
    '/pay/:token',
    {
      config: { ...customerPage('showPaymentPage', 'Show a payment page'), errors: [404, 410] },
      schema: { params: TokenPath, response: { 200: PageRecord } }
    },
    async (request, reply) => {
      const { token } = request.params
      const visit = await page.find(token)
      if (wantsHtml(request)) {
        if (isExpired(visit)) reply.statusCode = statusOf('LINK_EXPIRED')
        return (
          fillTestNumber(reply, `/pay/${token}`, request.query) ??
          (await sendPage(request, reply, page, parts, visit))
        )
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
      const refusal = await pay(parts, visit, request.body, readScenarioHeader(request))
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

/** Pays from the form of the page; the page shows the result or the problems. */
async function payByForm (
  request: FastifyRequest,
  reply: FastifyReply,
  page: SessionPage,
  parts: SessionPageParts,
  token: string
): Promise<FastifyReply> {
  const { catalogue, pages } = parts
  const visit = await page.find(token)
  const { typed, scenario } = await readOutcome(request.body, async (typed) => {
    const { paymentWallet } = await import('./templates/payment.ts')
    return paymentWallet({ visit, offers: page.offersOf(visit), typed, problems: [], catalogue })
  })
  const read = readChoice(typed, catalogue)
  const refusal = read.problems.at(0) ?? (await pay(parts, visit, read.choice, scenario))
  // A page that is paid or has expired says so.
  if (refusal === undefined || refusal === 'DUPLICATE' || refusal.code === 'LINK_EXPIRED') {
    return reply.redirect(`/pay/${token}`, 303)
  }
  const problems = [...read.problems, ...pages.listProblems(visit, read.choice)]
  return returnForm(reply, `/pay/${token}`, typed, refusal, problems)
}

async function pay (
  { pages }: SessionPageParts,
  visit: PageVisit,
  choice: CustomerChoice,
  scenario?: string
): Promise<Refusal | 'DUPLICATE' | undefined> {
  if (visit.deposit !== undefined) return 'DUPLICATE'
  if (visit.expired) return expiredPage(visit)
  const outcome = await pages.pay(visit, choice, scenario)
  return outcome === 'ACCEPTED' ? undefined : outcome
}

async function sendPage (
  request: FastifyRequest,
  reply: FastifyReply,
  page: SessionPage,
  { catalogue, pages }: SessionPageParts,
  visit: PageVisit
): Promise<FastifyReply> {
  const { paymentHtml } = await import('./templates/payment.ts')
  const { language } = visit.session.terms
  const typed = readTyped(request.query)
  return sendHtml(
    reply,
    paymentHtml(await createReader(request, reply, language), {
      visit,
      offers: page.offersOf(visit),
      mark: snapshotTag(page.write(visit), visit.account),
      typed,
      catalogue,
      problems: listShownProblems(request.query, readChoice(typed, catalogue), (choice) =>
        pages.listProblems(visit, choice)
      ),
      phone: page.phoneOf(visit)
    })
  )
}
