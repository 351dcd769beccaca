import type { Static } from '@sinclair/typebox'
import { expiryOf } from '../../src/domain/checkout.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { nextChange } from '../../src/domain/payment.ts'
import { listPaymentOptions } from '../../src/domain/payment-options.ts'
import { isRefusal, Refused } from '../../src/domain/refusal.ts'
import { isFinal, statusesOf } from '../../src/domain/status.ts'
import { formatTimestamp } from '../../src/lib/clock.ts'
import { answerWord, Type } from '../../src/lib/typebox.ts'
import type { Checkouts, CheckoutVisit } from '../../src/services/checkouts.ts'
import { DateTime } from '../../src/wire/fields.ts'
import {
  companyName,
  DepositRecord,
  OfferRecord,
  PhonePage,
  returnUrlOf,
  writeDeposit,
  writeOffer
} from '../../src/wire/pages.ts'
import { isForm } from '../http/forms.ts'
import { createPhoneLink, type PhoneLink } from '../http/phone-link.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { pageCall, refusePage, type PageParts } from './customer.ts'
import { addPayPage, type PayPage } from './pay-page.ts'

/** Page of a checkout as JSON. */
const CheckoutRecord = Type.Object({
  checkoutCode: Type.String(),
  state: answerWord(...statusesOf(kinds.checkout)),
  companyName: Type.String(),
  reason: Type.Optional(Type.Record(Type.String(), Type.String())),
  defaultLanguage: Type.Optional(Type.String()),
  created: DateTime,
  expiresAt: DateTime,
  timeIsUp: Type.Boolean({
    description: 'true after expiresAt; an attempt in progress can still complete the checkout'
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

const AttemptAnswer = Type.Object({ depositId: Type.String(), status: answerWord('ACCEPTED') })

const CodePath = Type.Object({
  checkoutCode: Type.String({ maxLength: 64, description: 'the code of a checkout' })
})

interface CheckoutPageParts extends PageParts {
  checkouts: Checkouts
}

/** Pages and calls of the customer of a checkout. */
export function checkoutPageRoutes (app: TypedApp, parts: CheckoutPageParts): void {
  const page = describePage(parts)
  addPayPage(app, page, parts)

  // A browser shows the address of a returned form; a reload of it leads to the page.
  app.get(
    '/checkout/:checkoutCode/attempts',
    { config: { documentation: 'hidden' }, schema: { params: CodePath } },
    async ({ params: { checkoutCode } }, reply) =>
      reply.redirect(`/checkout/${encodeURIComponent(checkoutCode)}`, 303)
  )

  app.post(
    '/checkout/:checkoutCode/cancel',
    {
      config: { ...pageCall('cancelCheckout', 'Cancel a checkout'), errors: [404, 409] },
      schema: { params: CodePath, response: { 200: CheckoutRecord } }
    },
    async (request, reply) => {
      const { checkoutCode } = request.params
      const refusal = await parts.checkouts.cancel(checkoutCode)
      if (isForm(request) && (refusal === undefined || refusal.code === 'WRONG_STATE')) {
        return reply.redirect(`/checkout/${checkoutCode}`, 303)
      }
      return refusal === undefined
        ? reply.send(write(parts, await page.find(checkoutCode)))
        : await refusePage(request, reply, refusal)
    }
  )
}

function offersOf ({ catalogue }: CheckoutPageParts, { account, payment }: CheckoutVisit) {
  const { countries, amounts } = payment.details.terms
  return listPaymentOptions(account, catalogue, countries, amounts)
}

function phoneOf (
  { ids }: CheckoutPageParts,
  { account, payment, parts }: CheckoutVisit
): PhoneLink | undefined {
  const { id, terms } = payment.details
  const number = parts.at(-1)?.payment.details.phoneNumber ?? terms.payer?.phoneNumber
  return number === undefined
    ? undefined
    : createPhoneLink(ids, account, number, { kind: kinds.checkout, id })
}

function write (parts: CheckoutPageParts, visit: CheckoutVisit): Static<typeof CheckoutRecord> {
  const { account, payment, state, parts: attempts } = visit
  const { terms, checkoutCode } = payment.details
  const phone = phoneOf(parts, visit)
  const timeIsUp = expiryOf(payment) <= parts.clockControl.now(account)
  return {
    checkoutCode,
    state: state.to,
    companyName: companyName(account),
    reason: terms.reason,
    defaultLanguage: terms.defaultLanguage,
    created: formatTimestamp(payment.created),
    expiresAt: formatTimestamp(expiryOf(payment)),
    timeIsUp,
    countries: offersOf(parts, visit).map(writeOffer),
    amounts: terms.amounts ?? [],
    payer: terms.payer,
    attempts: attempts.map(writeDeposit),
    returnMethod: terms.returnMethod,
    ...((isFinal(state.to) || timeIsUp) && {
      returnUrl: returnUrlOf(terms.returnUrl, 'checkoutCode', checkoutCode)
    }),
    ...(phone !== undefined && { phonePage: phone.url })
  }
}

function describePage (parts: CheckoutPageParts): PayPage<CheckoutVisit> {
  const { checkouts, clockControl } = parts
  return {
    base: '/checkout',
    key: ['checkoutCode', 'the code of a checkout'],
    payPath: '/attempts',
    name: 'checkout',
    calls: {
      show: ['showCheckout', 'Show the page of a checkout', [404]],
      pay: ['attemptCheckout', 'Try to pay a checkout', [404, 409]],
      predict: 'predictOnCheckout',
      follow: ['followCheckout', 'Follow the page of a checkout', [404]]
    },
    record: CheckoutRecord,
    paid: AttemptAnswer,
    find: async (code) => {
      const visit = await checkouts.visit(code)
      if (visit !== undefined) return visit
      throw new Refused('NOT_FOUND', `there is no checkout with the code '${code}'`)
    },
    write: (visit) => write(parts, visit),
    offersOf: (visit) => offersOf(parts, visit),
    phoneOf: (visit) => phoneOf(parts, visit),
    languageOf: ({ payment }) => payment.details.terms.defaultLanguage,
    whyClosed: () => undefined,
    pay: async ({ payment }, choice, scenario) => {
      const { checkoutCode } = payment.details
      const attempt = await checkouts.startAttempt(checkoutCode, choice, scenario)
      return isRefusal(attempt)
        ? { refusal: attempt }
        : { answer: { ...attempt, status: 'ACCEPTED' } }
    },
    listProblems: (visit, choice) => checkouts.listProblems(visit, choice),
    follow: ({ account, payment, parts, state }) => {
      const now = clockControl.now(account)
      const shown = [payment, ...parts.map((part) => part.payment)]
      const changes = shown.flatMap((one) => nextChange(one, now) ?? [])
      return {
        topics: shown.map(({ details: { id } }) => ({ id })),
        final: isFinal(state.to),
        ...(changes.length > 0 && { next: Math.min(...changes) })
      }
    },
    wallet: async (model) => (await import('./templates/checkout.ts')).checkoutWallet(model),
    html: async (reader, model) => {
      const { checkoutHtml } = await import('./templates/checkout.ts')
      return checkoutHtml(reader, { ...model, now: clockControl.now(model.visit.account) })
    }
  }
}
