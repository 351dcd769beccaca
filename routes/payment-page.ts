import type { FastifyInstance } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import type { Logger } from 'pino'
import { timestamp } from '../src/clock.ts'
import type { Catalogue } from '../src/domain/catalog.ts'
import { kinds } from '../src/domain/kinds.ts'
import { offersOf } from '../src/domain/offer.ts'
import { Refused, type Refusal } from '../src/domain/refusal.ts'
import { isRefusal } from '../src/domain/rules.ts'
import type { Ids } from '../src/ids.ts'
import type { PageVisit, PaymentPage } from '../src/payment-page.ts'
import { ChoiceBody, companyOf, DepositRecord, OfferRecord, returning, writeDeposit, writeOffer } from '../src/wire/customer.ts'
import { DateTime } from '../src/wire/fields.ts'
import { PageAnswer } from '../src/wire/page.ts'
import type { Wire } from '../src/wire/wire.ts'
import { customer, forCustomers, refuse, sendHtml, wantsHtml } from './customer.ts'
import { errorIds, send } from './generation.ts'
import { document, html, type Html } from './html.ts'

const TokenPath = Type.Object({ token: Type.String({ maxLength: 64, description: 'the token of a payment page' }) })

const Page = Type.Object({
  depositId: Type.String(),
  state: Type.String(),
  companyName: Type.String(),
  reason: Type.Optional(Type.String()),
  language: Type.Optional(Type.String()),
  amountDetails: Type.Optional(Type.Object({ amount: Type.String(), currency: Type.Optional(Type.String()) })),
  phoneNumber: Type.Optional(Type.String()),
  country: Type.Optional(Type.String()),
  countries: Type.Array(OfferRecord),
  expiresAt: DateTime,
  deposit: Type.Optional(DepositRecord),
  returnUrl: Type.String()
})

const Paid = Type.Object({ depositId: Type.String(), status: Type.String(), returnUrl: Type.String() })

/** The merchant opens a session, in the words of a generation. Success is 201: real clients insist on it. */
export function sessionRoute (app: FastifyInstance, wire: Wire, pages: PaymentPage, ids: Ids): void {
  const kind = kinds.deposit
  app.post(wire.page.path, {
    config: { documentation: { id: 'openPaymentPage', summary: 'Open a page on which a customer makes a deposit', tag: 'payment-page' }, operation: 'initiate', kind, permission: 'initiate' },
    schema: { body: wire.page.request, response: { 200: wire.answers.schemas.initiation(kind), 201: PageAnswer } }
  }, async (request, reply) => {
    const terms = wire.page.read(request.body)
    const opened = await pages.open(request.caller.account, wire.generation, terms)
    if (!isRefusal(opened)) return reply.code(201).send(opened)
    return send(reply, wire.answers.initiated(kind, terms.depositId, { outcome: 'REFUSED', refusal: opened }, errorIds(request, ids)))
  })
}

/** What the customer of a payment page can do; who has the token may. */
export function paymentPage (app: FastifyInstance, pages: PaymentPage, catalogue: Catalogue, log: Logger): void {
  forCustomers(app, log)

  const visit = async (token: string): Promise<PageVisit> => {
    const found = await pages.visit(token)
    if (found === undefined) throw new Refused('NOT_FOUND', `there is no payment page with the token '${token}'`)
    return found
  }

  app.get<{ Params: Static<typeof TokenPath> }>('/pay/:token', { config: customer('showPaymentPage', 'What a payment page shows'), schema: { params: TokenPath, response: { 200: Page } } }, async (request, reply) => {
    const found = await visit(request.params.token)
    if (found.expired && found.deposit === undefined) return refuse(request, reply, expired(found))
    return wantsHtml(request) ? sendHtml(reply, asHtml(found)) : reply.header('cache-control', 'no-store').send(write(found, catalogue))
  })

  app.post<{ Params: Static<typeof TokenPath>, Body: Static<typeof ChoiceBody> }>('/pay/:token', {
    config: customer('payOnPaymentPage', 'Pay on a payment page'),
    schema: { params: TokenPath, body: ChoiceBody, response: { 201: Paid } }
  }, async (request, reply) => {
    const found = await visit(request.params.token)
    const { depositId } = found.session.terms
    if (found.deposit === undefined) {
      if (found.expired) return refuse(request, reply, expired(found))
      const outcome = await pages.pay(found, request.body)
      if (outcome === 'ACCEPTED') return reply.code(201).send({ depositId, status: outcome, returnUrl: back(found) })
      if (outcome !== 'DUPLICATE') return refuse(request, reply, outcome)
    }
    const { deposit } = await visit(request.params.token)
    const status = deposit?.state.to ?? 'ACCEPTED'
    return refuse(request, reply, { code: 'WRONG_STATE', message: `deposit '${depositId}' was already made from this page, and is ${status}` }, { depositId, status, returnUrl: back(found) })
  })
}

function expired ({ session }: PageVisit): Refusal {
  return { code: 'LINK_EXPIRED', message: `this payment page expired at ${timestamp(session.expiresAt)}, 15 minutes after it was opened` }
}

function back ({ session: { terms } }: PageVisit): string {
  return returning(terms.returnUrl, 'depositId', terms.depositId)
}

/** Before the deposit exists, the page waits for its customer. */
function stateOf ({ deposit }: PageVisit): string {
  return deposit?.state.to ?? 'WAITING_PAYMENT'
}

function write (found: PageVisit, catalogue: Catalogue): object {
  const { account, session: { terms, expiresAt }, deposit } = found
  const { depositId, reason, language, amount, currency, phoneNumber, country } = terms
  return {
    depositId,
    state: stateOf(found),
    companyName: companyOf(account),
    reason,
    language,
    ...(amount !== undefined && { amountDetails: { amount, currency } }),
    phoneNumber,
    country,
    countries: offersOf(account, catalogue, country === undefined ? undefined : [country]).map(writeOffer),
    expiresAt: timestamp(expiresAt),
    ...(deposit !== undefined && { deposit: writeDeposit(deposit) }),
    returnUrl: back(found)
  }
}

/** The page in its plainest form: it says what it is, and how to pay without it. */
function asHtml (found: PageVisit): Html {
  const { account, session: { token, terms, expiresAt } } = found
  const company = companyOf(account)
  return document(`Pay ${company}`, html`<h1>Pay ${company}</h1>
<p>This is a simulated payment page of momock; no money moves. It is ${stateOf(found)}, and open until ${timestamp(expiresAt)}.</p>
<ul>
${terms.reason === undefined ? undefined : html`<li>For: ${terms.reason}</li>`}
${terms.amount === undefined ? undefined : html`<li>${terms.amount} ${terms.currency}</li>`}
</ul>
<p>To pay: <code>POST /pay/${token}</code> with a JSON body such as <code>{"provider": "…", "phoneNumber": "…", "amount": "…"}</code>.
<code>GET /pay/${token}</code> with <code>Accept: application/json</code> shows what can be chosen and what is fixed.</p>
${found.deposit === undefined ? undefined : html`<p><a href="${back(found)}">Back to ${company}</a></p>`}`)
}
