import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { Checkouts, CheckoutVisit } from '../../src/services/checkouts.ts'
import { formatTimestamp } from '../../src/lib/clock.ts'
import { expiryOf } from '../../src/domain/checkout.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { listPaymentOptions, type PaymentOption } from '../../src/domain/payment-options.ts'
import { nextChange } from '../../src/domain/payment.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import { isFinal } from '../../src/domain/status.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import {
  ChoiceBody,
  companyName,
  DepositRecord,
  OfferRecord,
  PhonePage,
  PhoneQuery,
  PredictionRecord,
  returnUrlOf,
  writeDeposit,
  writeOffer
} from '../../src/wire/pages.ts'
import { DateTime } from '../../src/wire/fields.ts'
import {
  pageCall,
  EventStream,
  handlePageErrors,
  predictProvider,
  createReader,
  refusePage,
  sendHtml,
  statusOf,
  wantsHtml,
  type PageParts
} from './customer.ts'
import { readChoice, isForm, readTyped } from './forms.ts'
import { snapshotTag } from '../http/sse.ts'
import type { TypedFields } from './templates/wallet.ts'
import { createPhoneLink, type PhoneLink } from './phone-link.ts'

const CodePath = Type.Object({
  checkoutCode: Type.String({ maxLength: 64, description: 'the code of a checkout' })
})

const CheckoutPage = Type.Object({
  checkoutCode: Type.String(),
  state: Type.String(),
  companyName: Type.String(),
  reason: Type.Optional(Type.Record(Type.String(), Type.String())),
  defaultLanguage: Type.Optional(Type.String()),
  created: DateTime,
  expiresAt: DateTime,
  timeIsUp: Type.Boolean({
    description: 'true once expiresAt has passed; an attempt that is under way is still waited for'
  }),
  countries: Type.Array(OfferRecord),
  amounts: Type.Array(
    Type.Object({ country: Type.String(), currency: Type.String(), amount: Type.String() })
  ),
  payer: Type.Optional(
    Type.Object({
      phoneNumber: Type.Optional(Type.String()),
      provider: Type.Optional(Type.String()),
      allowCustomerToOverride: Type.Boolean()
    })
  ),
  attempts: Type.Array(DepositRecord),
  returnMethod: Type.String(),
  returnUrl: Type.Optional(Type.String()),
  phonePage: Type.Optional(PhonePage)
})

/** What the customer of a checkout can do; who has the code may. */
export function checkoutPageRoutes (
  app: FastifyInstance,
  checkouts: Checkouts,
  { catalogue, ids, clockControl, eventStreams, log }: PageParts
): void {
  handlePageErrors(app, log)

  const visit = async (code: string): Promise<CheckoutVisit> => {
    const found = await checkouts.visit(code)
    if (found === undefined) {
      throw new Refused('NOT_FOUND', `there is no checkout with the code '${code}'`)
    }
    return found
  }
  const offers = ({ account, payment }: CheckoutVisit): PaymentOption[] =>
    listPaymentOptions(
      account,
      catalogue,
      payment.details.terms.countries,
      payment.details.terms.amounts
    )
  const phoneOf = ({ account, payment, parts }: CheckoutVisit): PhoneLink | undefined => {
    const number =
      parts.at(-1)?.payment.details.phoneNumber ?? payment.details.terms.payer?.phoneNumber
    return number === undefined
      ? undefined
      : createPhoneLink(ids, account, number, { kind: kinds.checkout, id: payment.details.id })
  }
  const write = (found: CheckoutVisit): object =>
    checkoutRecord(found, offers(found), clockControl.now(found.account), phoneOf(found))
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    found: CheckoutVisit,
    typed: TypedFields,
    problem?: Refusal
  ): Promise<FastifyReply> => {
    const { checkoutHtml } = await import('./templates/checkout.ts')
    const phone = phoneOf(found)
    const model = {
      visit: found,
      offers: offers(found),
      mark: snapshotTag(write(found), found.account),
      now: clockControl.now(found.account),
      typed,
      catalogue,
      ...(problem !== undefined && { problem }),
      ...(phone !== undefined && { phone })
    }
    return sendHtml(
      reply,
      checkoutHtml(
        await createReader(request, reply, found.payment.details.terms.defaultLanguage),
        model
      )
    )
  }

  app.get<{ Params: Static<typeof CodePath> }>(
    '/checkout/:checkoutCode',
    {
      config: pageCall('showCheckout', 'What the page of a checkout shows'),
      schema: { params: CodePath, response: { 200: CheckoutPage } }
    },
    async (request, reply) => {
      const found = await visit(request.params.checkoutCode)
      return wantsHtml(request)
        ? await show(request, reply, found, readTyped(request.query as object))
        : reply.header('cache-control', 'no-store').send(write(found))
    }
  )

  app.post<{ Params: Static<typeof CodePath>; Body: Static<typeof ChoiceBody> }>(
    '/checkout/:checkoutCode/attempts',
    {
      config: pageCall('attemptCheckout', 'Try to pay a checkout'),
      attachValidation: true,
      schema: {
        params: CodePath,
        body: ChoiceBody,
        response: { 201: Type.Object({ depositId: Type.String(), status: Type.String() }) }
      }
    },
    async (request, reply) => {
      const { checkoutCode } = request.params
      if (isForm(request)) return await attemptByForm(request, reply, checkoutCode)
      if (request.validationError !== undefined) throw request.validationError
      const attempt = await checkouts.startAttempt(checkoutCode, request.body)
      return isRefusal(attempt)
        ? await refusePage(request, reply, attempt)
        : reply.code(201).send({ ...attempt, status: 'ACCEPTED' })
    }
  )

  // What a browser shows in its bar when a form has come back: who goes there again wants the page.
  app.get<{ Params: Static<typeof CodePath> }>(
    '/checkout/:checkoutCode/attempts',
    { config: { documentation: 'hidden' }, schema: { params: CodePath } },
    async (request, reply) =>
      reply.redirect(`/checkout/${encodeURIComponent(request.params.checkoutCode)}`, 303)
  )

  app.post<{ Params: Static<typeof CodePath> }>(
    '/checkout/:checkoutCode/cancel',
    {
      config: pageCall('cancelCheckout', 'Give a checkout up'),
      schema: { params: CodePath, response: { 200: CheckoutPage } }
    },
    async (request, reply) => {
      const { checkoutCode } = request.params
      const refusal = await checkouts.cancel(checkoutCode)
      if (isForm(request) && (refusal === undefined || refusal.code === 'WRONG_STATE')) {
        return reply.redirect(`/checkout/${checkoutCode}`, 303)
      }
      return refusal === undefined
        ? reply.send(write(await visit(checkoutCode)))
        : await refusePage(request, reply, refusal)
    }
  )

  app.get<{ Params: Static<typeof CodePath> }>(
    '/checkout/:checkoutCode/prediction',
    {
      config: pageCall(
        'predictOnCheckout',
        'The provider of a phone number, of those a checkout offers'
      ),
      schema: { params: CodePath, querystring: PhoneQuery, response: { 200: PredictionRecord } }
    },
    async (request) =>
      predictProvider(request, offers(await visit(request.params.checkoutCode)), catalogue)
  )

  app.get<{ Params: Static<typeof CodePath> }>(
    '/checkout/:checkoutCode/events',
    {
      config: pageCall('followCheckout', 'What the page of a checkout shows, at every change'),
      schema: { params: CodePath, response: EventStream }
    },
    async (request, reply) =>
      await eventStreams.send(reply, async () => {
        const found = await visit(request.params.checkoutCode)
        const { account, payment, parts, state } = found
        const now = clockControl.now(account)
        const changes = [payment, ...parts.map((part) => part.payment)].flatMap(
          (one) => nextChange(one, now) ?? []
        )
        return {
          account,
          body: write(found),
          final: isFinal(state.to),
          ...(changes.length > 0 && { next: Math.min(...changes) })
        }
      })
  )

  /**
   * Pay was pressed in a browser: what is wrong is said on the page itself. Where an attempt is no
   * longer possible, the page says why.
   */
  async function attemptByForm (
    request: FastifyRequest,
    reply: FastifyReply,
    code: string
  ): Promise<FastifyReply> {
    const typed = readTyped(request.body as object)
    const choice = readChoice(typed, catalogue)
    const attempt = isRefusal(choice) ? choice : await checkouts.startAttempt(code, choice)
    if (!isRefusal(attempt) || attempt.code === 'WRONG_STATE') {
      return reply.redirect(`/checkout/${code}`, 303)
    }
    return await show(
      request,
      reply.code(statusOf(attempt.code)),
      await visit(code),
      typed,
      attempt
    )
  }
}

function checkoutRecord (
  { account, payment, state, parts }: CheckoutVisit,
  offers: PaymentOption[],
  now: number,
  phone: PhoneLink | undefined
): object {
  const { terms, checkoutCode } = payment.details
  const timeIsUp = expiryOf(payment) <= now
  return {
    checkoutCode,
    state: state.to,
    companyName: companyName(account),
    reason: terms.reason,
    defaultLanguage: terms.defaultLanguage,
    created: formatTimestamp(payment.created),
    expiresAt: formatTimestamp(expiryOf(payment)),
    timeIsUp,
    countries: offers.map(writeOffer),
    amounts: terms.amounts ?? [],
    payer: terms.payer,
    attempts: parts.map(writeDeposit),
    returnMethod: terms.returnMethod,
    ...((isFinal(state.to) || timeIsUp) && {
      returnUrl: returnUrlOf(terms.returnUrl, 'checkoutCode', checkoutCode)
    }),
    ...(phone !== undefined && { phonePage: phone.path })
  }
}
