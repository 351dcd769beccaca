import { wordOf } from '../../src/wire/fields.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { nextChange } from '../../src/domain/payment.ts'
import { isRefusal, type Refusal } from '../../src/domain/refusal.ts'
import { isFinal } from '../../src/domain/status.ts'
import { Type } from '../../src/lib/typebox.ts'
import type { CheckoutVisit } from '../../src/services/checkouts.ts'
import { ChoiceBody, PhoneQuery, PredictionRecord } from '../../src/wire/pages.ts'
import { snapshotTag } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { CheckoutPage, CheckoutRecord, type CheckoutPageParts } from './checkout-page.ts'
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
import type { TypedFields } from './templates/wallet-fields.ts'

const CodePath = Type.Object({
  checkoutCode: Type.String({ maxLength: 64, description: 'the code of a checkout' })
})

const AttemptAnswer = Type.Object({ depositId: Type.String(), status: wordOf('ACCEPTED') })

/** Pages and calls of the customer of a checkout. */
export function checkoutPageRoutes (app: TypedApp, parts: CheckoutPageParts): void {
  handlePageErrors(app, parts.log)
  const page = new CheckoutPage(parts)
  addShowRoutes(app, page, parts)
  addAttemptRoute(app, page, parts)
  addCancelRoute(app, page, parts)
  addPredictRoute(app, page, parts)
  addFollowRoute(app, page, parts)
}

function addShowRoutes (app: TypedApp, page: CheckoutPage, parts: CheckoutPageParts): void {
  app.get(
    '/checkout/:checkoutCode',
    {
      config: { ...pageCall('showCheckout', 'Show the page of a checkout'), errors: [404] },
      schema: { params: CodePath, response: { 200: CheckoutRecord } }
    },
    async (request, reply) => {
      const visit = await page.find(request.params.checkoutCode)
      return wantsHtml(request)
        ? await sendPage(request, reply, page, parts, visit, readTyped(request.query))
        : reply.header('cache-control', 'no-store').send(page.write(visit))
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
      const attempt = await checkouts.startAttempt(checkoutCode, request.body)
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

function addPredictRoute (
  app: TypedApp,
  page: CheckoutPage,
  { catalogue }: CheckoutPageParts
): void {
  app.get(
    '/checkout/:checkoutCode/prediction',
    {
      config: {
        ...pageCall(
          'predictOnCheckout',
          'Predict the provider of a phone number, among those that a checkout offers'
        ),
        errors: [404]
      },
      schema: { params: CodePath, querystring: PhoneQuery, response: { 200: PredictionRecord } }
    },
    async ({ params, query }) => {
      const visit = await page.find(params.checkoutCode)
      return predictProvider(query, page.offersOf(visit), catalogue)
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

/** Makes an attempt from the form of the page; the page shows any problem. */
async function attemptByForm (
  request: FastifyRequest,
  reply: FastifyReply,
  page: CheckoutPage,
  parts: CheckoutPageParts,
  code: string
): Promise<FastifyReply> {
  const typed = readTyped(request.body)
  const choice = readChoice(typed, parts.catalogue)
  const attempt = isRefusal(choice) ? choice : await parts.checkouts.startAttempt(code, choice)
  // If no attempt is possible any more, the page says why.
  if (!isRefusal(attempt) || attempt.code === 'WRONG_STATE') {
    return reply.redirect(`/checkout/${code}`, 303)
  }
  reply.code(statusOf(attempt.code))
  return await sendPage(request, reply, page, parts, await page.find(code), typed, attempt)
}

async function sendPage (
  request: FastifyRequest,
  reply: FastifyReply,
  page: CheckoutPage,
  { catalogue, clockControl }: CheckoutPageParts,
  visit: CheckoutVisit,
  typed: TypedFields,
  problem?: Refusal
): Promise<FastifyReply> {
  const { checkoutHtml } = await import('./templates/checkout.ts')
  const { defaultLanguage } = visit.payment.details.terms
  return sendHtml(
    reply,
    checkoutHtml(await createReader(request, reply, defaultLanguage), {
      visit,
      offers: page.offersOf(visit),
      mark: snapshotTag(page.write(visit), visit.account),
      now: clockControl.now(visit.account),
      typed,
      catalogue,
      problem,
      phone: page.phoneOf(visit)
    })
  )
}
