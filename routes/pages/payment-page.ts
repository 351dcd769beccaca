import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import { formatTimestamp } from '../../src/lib/clock.ts'
import type { CustomerChoice } from '../../src/domain/customer-choice.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { listPaymentOptions, type PaymentOption } from '../../src/domain/payment-options.ts'
import { nextChange } from '../../src/domain/payment.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import { isFinal } from '../../src/domain/status.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { pricesOf } from '../../src/domain/page-session.ts'
import type { PageVisit, PaymentPage } from '../../src/services/payment-page.ts'
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

const TokenPath = Type.Object({
  token: Type.String({ maxLength: 64, description: 'the token of a payment page' })
})

const Page = Type.Object({
  depositId: Type.String(),
  state: Type.String(),
  companyName: Type.String(),
  reason: Type.Optional(Type.String()),
  language: Type.Optional(Type.String()),
  amountDetails: Type.Optional(
    Type.Object({ amount: Type.String(), currency: Type.Optional(Type.String()) })
  ),
  phoneNumber: Type.Optional(Type.String()),
  country: Type.Optional(Type.String()),
  countries: Type.Array(OfferRecord),
  expiresAt: DateTime,
  deposit: Type.Optional(DepositRecord),
  returnUrl: Type.String(),
  phonePage: Type.Optional(PhonePage)
})

const Paid = Type.Object({
  depositId: Type.String(),
  status: Type.String(),
  returnUrl: Type.String()
})

/** What the customer of a payment page can do; who has the token may. */
export function paymentPageRoutes (
  app: FastifyInstance,
  pages: PaymentPage,
  { catalogue, ids, clockControl, eventStreams, log }: PageParts
): void {
  handlePageErrors(app, log)

  const visit = async (token: string): Promise<PageVisit> => {
    const found = await pages.findVisit(token)
    if (found === undefined) {
      throw new Refused('NOT_FOUND', `there is no payment page with the token '${token}'`)
    }
    return found
  }
  const offers = ({ account, session: { terms } }: PageVisit): PaymentOption[] =>
    listPaymentOptions(
      account,
      catalogue,
      terms.country === undefined ? undefined : [terms.country],
      pricesOf(terms)
    )
  const phoneOf = ({ account, session: { terms }, deposit }: PageVisit): PhoneLink | undefined => {
    const number = deposit?.payment.details.phoneNumber ?? terms.phoneNumber
    return number === undefined
      ? undefined
      : createPhoneLink(ids, account, number, { kind: kinds.deposit, id: terms.depositId })
  }
  const write = (found: PageVisit): object => pageRecord(found, offers(found), phoneOf(found))
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    found: PageVisit,
    typed: TypedFields,
    problem?: Refusal
  ): Promise<FastifyReply> => {
    const { paymentHtml } = await import('./templates/payment.ts')
    const phone = phoneOf(found)
    const model = {
      visit: found,
      offers: offers(found),
      mark: snapshotTag(write(found), found.account),
      typed,
      catalogue,
      ...(problem !== undefined && { problem }),
      ...(phone !== undefined && { phone })
    }
    return sendHtml(
      reply,
      paymentHtml(await createReader(request, reply, found.session.terms.language), model)
    )
  }

  app.get<{ Params: Static<typeof TokenPath> }>(
    '/pay/:token',
    {
      config: pageCall('showPaymentPage', 'What a payment page shows'),
      schema: { params: TokenPath, response: { 200: Page } }
    },
    async (request, reply) => {
      const found = await visit(request.params.token)
      const isLate = isOver(found)
      if (wantsHtml(request)) {
        return await show(
          request,
          reply.code(isLate ? statusOf('LINK_EXPIRED') : 200),
          found,
          readTyped(request.query as object)
        )
      }
      return isLate
        ? await refusePage(request, reply, expiredPage(found))
        : reply.header('cache-control', 'no-store').send(write(found))
    }
  )

  app.post<{ Params: Static<typeof TokenPath>; Body: Static<typeof ChoiceBody> }>(
    '/pay/:token',
    {
      config: pageCall('payOnPaymentPage', 'Pay on a payment page'),
      attachValidation: true,
      schema: { params: TokenPath, body: ChoiceBody, response: { 201: Paid } }
    },
    async (request, reply) => {
      if (isForm(request)) return await payByForm(request, reply, request.params.token)
      if (request.validationError !== undefined) throw request.validationError
      const found = await visit(request.params.token)
      const { depositId } = found.session.terms
      const refusal = await pay(found, request.body)
      if (refusal === undefined) {
        return reply.code(201).send({ depositId, status: 'ACCEPTED', returnUrl: returnLink(found) })
      }
      if (refusal !== 'DUPLICATE') return await refusePage(request, reply, refusal)
      const { deposit } = await visit(request.params.token)
      const status = deposit?.state.to ?? 'ACCEPTED'
      return await refusePage(
        request,
        reply,
        {
          code: 'WRONG_STATE',
          message: `deposit '${depositId}' was already made from this page, and is ${status}`
        },
        { depositId, status, returnUrl: returnLink(found) }
      )
    }
  )

  app.get<{ Params: Static<typeof TokenPath> }>(
    '/pay/:token/prediction',
    {
      config: pageCall(
        'predictOnPaymentPage',
        'The provider of a phone number, of those a payment page offers'
      ),
      schema: { params: TokenPath, querystring: PhoneQuery, response: { 200: PredictionRecord } }
    },
    async (request) =>
      predictProvider(request, offers(await visit(request.params.token)), catalogue)
  )

  app.get<{ Params: Static<typeof TokenPath> }>(
    '/pay/:token/events',
    {
      config: pageCall('followPaymentPage', 'What a payment page shows, at every change'),
      schema: { params: TokenPath, response: EventStream }
    },
    async (request, reply) =>
      await eventStreams.send(reply, async () => {
        const found = await visit(request.params.token)
        const { account, session, deposit } = found
        const next =
          deposit === undefined
            ? session.expiresAt
            : nextChange(deposit.payment, clockControl.now(account))
        return {
          account,
          body: write(found),
          final: isOver(found) || (deposit !== undefined && isFinal(deposit.state.to)),
          ...(next !== undefined && { next })
        }
      })
  )

  /**
   * Pay was pressed in a browser: what is wrong is said on the page itself, and what went well is
   * looked at there.
   */
  async function payByForm (
    request: FastifyRequest,
    reply: FastifyReply,
    token: string
  ): Promise<FastifyReply> {
    const found = await visit(token)
    const typed = readTyped(request.body as object)
    const choice = readChoice(typed, catalogue)
    const refusal = isRefusal(choice) ? choice : await pay(found, choice)
    if (refusal === undefined || refusal === 'DUPLICATE') {
      return reply.redirect(`/pay/${token}`, 303)
    }
    return await show(request, reply.code(statusOf(refusal.code)), found, typed, refusal)
  }

  async function pay (
    found: PageVisit,
    choice: CustomerChoice
  ): Promise<Refusal | 'DUPLICATE' | undefined> {
    if (found.deposit !== undefined) return 'DUPLICATE'
    if (found.expired) return expiredPage(found)
    const outcome = await pages.pay(found, choice)
    return outcome === 'ACCEPTED' ? undefined : outcome
  }
}

/** Its time is up and nothing was paid. */
function isOver ({ expired, deposit }: PageVisit): boolean {
  return expired && deposit === undefined
}

function expiredPage ({ session }: PageVisit): Refusal {
  return {
    code: 'LINK_EXPIRED',
    message:
      `this payment page expired at ${formatTimestamp(session.expiresAt)}, 15 minutes after it was ` +
      'opened'
  }
}

function returnLink ({ session: { terms } }: PageVisit): string {
  return returnUrlOf(terms.returnUrl, 'depositId', terms.depositId)
}

/** Before the deposit exists, the page waits for its customer. */
function stateOf (found: PageVisit): string {
  return found.deposit?.state.to ?? (isOver(found) ? 'EXPIRED' : 'WAITING_PAYMENT')
}

function pageRecord (
  found: PageVisit,
  offers: PaymentOption[],
  phone: PhoneLink | undefined
): object {
  const {
    account,
    session: { terms, expiresAt },
    deposit
  } = found
  const { depositId, reason, language, amount, currency, phoneNumber, country } = terms
  return {
    depositId,
    state: stateOf(found),
    companyName: companyName(account),
    reason,
    language,
    ...(amount !== undefined && { amountDetails: { amount, currency } }),
    phoneNumber,
    country,
    countries: offers.map(writeOffer),
    expiresAt: formatTimestamp(expiresAt),
    ...(deposit !== undefined && { deposit: writeDeposit(deposit) }),
    returnUrl: returnLink(found),
    ...(phone !== undefined && { phonePage: phone.path })
  }
}
