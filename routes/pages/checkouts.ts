import type { FastifyReply, FastifyRequest } from 'fastify'
import { nextChange } from '../../src/domain/payment.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { isFinal } from '../../src/domain/status.ts'
import { answerWord, Type } from '../../src/lib/typebox.ts'
import type { CheckoutVisit } from '../../src/services/checkouts.ts'
import { ChoiceBody } from '../../src/wire/pages.ts'
import { readScenarioHeader } from '../http/api-route.ts'
import { snapshotTag } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { CheckoutPage, CheckoutRecord, type CheckoutPageParts } from './checkout-page.ts'
import { sendHtml, wantsHtml } from '../http/html.ts'
import {
  createReader,
  customerPage,
  EventStream,
  handlePageErrors,
  pageCall,
  refusePage
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

const CodePath = Type.Object({
  checkoutCode: Type.String({ maxLength: 64, description: 'the code of a checkout' })
})

const AttemptAnswer = Type.Object({ depositId: Type.String(), status: answerWord('ACCEPTED') })

/** Pages and calls of the customer of a checkout. */
export function checkoutPageRoutes (app: TypedApp, parts: CheckoutPageParts): void {
  handlePageErrors(app, parts.log)
  const page = new CheckoutPage(parts)
  addShowRoutes(app, page, parts)
  addAttemptRoute(app, page, parts)
  addCancelRoute(app, page, parts)
  addPredictRoute(
    app,
    {
      path: '/checkout/:checkoutCode',
      params: CodePath,
      id: 'predictOnCheckout',
      name: 'checkout',
      findOptions: async ({ checkoutCode }) => page.offersOf(await page.find(checkoutCode))
    },
    parts.catalogue
  )
  addFollowRoute(app, page, parts)
}

function addShowRoutes (app: TypedApp, page: CheckoutPage, parts: CheckoutPageParts): void {
  app.get(
    '/checkout/:checkoutCode',
    {
      config: { ...customerPage('showCheckout', 'Show the page of a checkout'), errors: [404] },
      schema: { params: CodePath, response: { 200: CheckoutRecord } }
    },
    async (request, reply) => {
      const { checkoutCode } = request.params
      const visit = await page.find(checkoutCode)
      if (wantsHtml(request)) {
        return (
          fillTestNumber(reply, `/checkout/${checkoutCode}`, request.query) ??
          (await sendPage(request, reply, page, parts, visit))
        )
      }
      return reply.header('cache-control', 'no-store').send(page.write(visit))
    }
  )

  // A browser shows the address of a returned form; a reload of it leads to the page.
  app.get(
    '/checkout/:checkoutCode/attempts',
    { config: { documentation: 'hidden' }, schema: { params: CodePath } },
    async ({ params: { checkoutCode } }, reply) =>
      reply.redirect(`/checkout/${encodeURIComponent(checkoutCode)}`, 303)
  )
}

function addAttemptRoute (app: TypedApp, page: CheckoutPage, parts: CheckoutPageParts): void {
  const { checkouts } = parts
  app.post(
    '/checkout/:checkoutCode/attempts',
    {
      config: { ...pageCall('attemptCheckout', 'Try to pay a checkout'), errors: [404, 409] },
      attachValidation: true,
      schema: { params: CodePath, body: ChoiceBody, response: { 201: AttemptAnswer } }
    },
    async (request, reply) => {
      const { checkoutCode } = request.params
      if (isForm(request)) return await attemptByForm(request, reply, page, parts, checkoutCode)
      if (request.validationError !== undefined) throw request.validationError
      const scenario = readScenarioHeader(request)
      const attempt = await checkouts.startAttempt(checkoutCode, request.body, scenario)
      return isRefusal(attempt)
        ? await refusePage(request, reply, attempt)
        : reply.code(201).send({ ...attempt, status: 'ACCEPTED' })
    }
  )
}

function addCancelRoute (app: TypedApp, page: CheckoutPage, parts: CheckoutPageParts): void {
  const { checkouts } = parts
  app.post(
    '/checkout/:checkoutCode/cancel',
    {
      config: { ...pageCall('cancelCheckout', 'Cancel a checkout'), errors: [404, 409] },
      schema: { params: CodePath, response: { 200: CheckoutRecord } }
    },
    async (request, reply) => {
      const { checkoutCode } = request.params
      const refusal = await checkouts.cancel(checkoutCode)
      if (isForm(request) && (refusal === undefined || refusal.code === 'WRONG_STATE')) {
        return reply.redirect(`/checkout/${checkoutCode}`, 303)
      }
      return refusal === undefined
        ? reply.send(page.write(await page.find(checkoutCode)))
        : await refusePage(request, reply, refusal)
    }
  )
}

function addFollowRoute (
  app: TypedApp,
  page: CheckoutPage,
  { clockControl, eventStreams }: CheckoutPageParts
): void {
  app.get(
    '/checkout/:checkoutCode/events',
    {
      config: { ...pageCall('followCheckout', 'Follow the page of a checkout'), errors: [404] },
      schema: { params: CodePath, response: EventStream }
    },
    async ({ params: { checkoutCode } }, reply) =>
      await eventStreams.send(reply, async () => {
        const visit = await page.find(checkoutCode)
        const { account, payment, parts, state } = visit
        const now = clockControl.now(account)
        const shown = [payment, ...parts.map((part) => part.payment)]
        const changes = shown.flatMap((one) => nextChange(one, now) ?? [])
        return {
          account,
          body: page.write(visit),
          topics: shown.map(({ details: { id } }) => ({ id })),
          final: isFinal(state.to),
          ...(changes.length > 0 && { next: Math.min(...changes) })
        }
      })
  )
}

/** Makes an attempt from the form of the page; the page shows its problems. */
async function attemptByForm (
  request: FastifyRequest,
  reply: FastifyReply,
  page: CheckoutPage,
  { catalogue, checkouts }: CheckoutPageParts,
  code: string
): Promise<FastifyReply> {
  const visit = await page.find(code)
  const { typed, scenario } = await readOutcome(request.body, async (typed) => {
    const { checkoutWallet } = await import('./templates/checkout.ts')
    return checkoutWallet({ visit, offers: page.offersOf(visit), typed, problems: [], catalogue })
  })
  const read = readChoice(typed, catalogue)
  const attempt = read.problems.at(0) ?? (await checkouts.startAttempt(code, read.choice, scenario))
  // If no attempt is possible any more, the page says why.
  if (!isRefusal(attempt) || attempt.code === 'WRONG_STATE') {
    return reply.redirect(`/checkout/${code}`, 303)
  }
  const problems = [...read.problems, ...checkouts.listProblems(visit, read.choice)]
  return returnForm(reply, `/checkout/${code}`, typed, attempt, problems)
}

async function sendPage (
  request: FastifyRequest,
  reply: FastifyReply,
  page: CheckoutPage,
  { catalogue, checkouts, clockControl }: CheckoutPageParts,
  visit: CheckoutVisit
): Promise<FastifyReply> {
  const { checkoutHtml } = await import('./templates/checkout.ts')
  const { defaultLanguage } = visit.payment.details.terms
  const typed = readTyped(request.query)
  return sendHtml(
    reply,
    checkoutHtml(await createReader(request, reply, defaultLanguage), {
      visit,
      offers: page.offersOf(visit),
      mark: snapshotTag(page.write(visit), visit.account),
      now: clockControl.now(visit.account),
      typed,
      catalogue,
      problems: listShownProblems(request.query, readChoice(typed, catalogue), (choice) =>
        checkouts.listProblems(visit, choice)
      ),
      phone: page.phoneOf(visit)
    })
  )
}
