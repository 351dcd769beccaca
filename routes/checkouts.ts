import type { FastifyInstance } from 'fastify'
import { Type, type Static } from '@sinclair/typebox'
import type { Logger } from 'pino'
import type { Checkouts, Visit } from '../src/checkouts.ts'
import { timestamp } from '../src/clock.ts'
import type { Catalogue } from '../src/domain/catalog.ts'
import { expiryOf } from '../src/domain/checkout.ts'
import { kinds } from '../src/domain/kinds.ts'
import { offersOf } from '../src/domain/offer.ts'
import { isFinal } from '../src/domain/payment.ts'
import { Refused } from '../src/domain/refusal.ts'
import { isRefusal } from '../src/domain/rules.ts'
import type { Ids } from '../src/ids.ts'
import { ChoiceBody, companyOf, DepositRecord, OfferRecord, returning, writeDeposit, writeOffer } from '../src/wire/customer.ts'
import { DateTime, PathIdentifier } from '../src/wire/fields.ts'
import type { Wire } from '../src/wire/wire.ts'
import { customer, forCustomers, refuse, sendHtml, wantsHtml } from './customer.ts'
import { errorIds, send } from './generation.ts'
import { document, html, type Html } from './html.ts'

const CodePath = Type.Object({ checkoutCode: Type.String({ maxLength: 64, description: 'the code of a checkout' }) })

const Expired = Type.Object({
  checkoutId: Type.String(),
  status: Type.String(),
  expiredAt: Type.Optional(DateTime),
  reason: Type.Optional(Type.String()),
  expiredBy: Type.Optional(Type.String())
})

const CheckoutPage = Type.Object({
  checkoutCode: Type.String(),
  state: Type.String(),
  companyName: Type.String(),
  reason: Type.Optional(Type.Record(Type.String(), Type.String())),
  defaultLanguage: Type.Optional(Type.String()),
  created: DateTime,
  expiresAt: DateTime,
  countries: Type.Array(OfferRecord),
  amounts: Type.Array(Type.Object({ country: Type.String(), currency: Type.String(), amount: Type.String() })),
  payer: Type.Optional(Type.Object({ phoneNumber: Type.Optional(Type.String()), provider: Type.Optional(Type.String()), allowCustomerToOverride: Type.Boolean() })),
  attempts: Type.Array(DepositRecord),
  returnMethod: Type.String(),
  returnUrl: Type.Optional(Type.String())
})

/** The merchant ends a checkout before its time. */
export function expireRoute (app: FastifyInstance, wire: Wire, checkouts: Checkouts, ids: Ids): void {
  const kind = kinds.checkout
  if (wire.codecs.checkout?.actions.expire !== true) return
  app.post(`/${kind.path}/:${kind.id}/expire`, {
    config: { documentation: { id: 'expireCheckout', summary: 'End a checkout before its time', tag: 'checkouts' }, operation: 'find', kind, permission: 'act' },
    schema: { params: Type.Object({ [kind.id]: PathIdentifier }), response: { 200: Expired, 404: wire.answers.schemas.refusal({ operation: 'find', kind }, 200) } }
  }, async (request, reply) => {
    const id = (request.params as Record<string, string>)[kind.id]
    const expiry = await checkouts.expire(request.caller.account, id)
    if (isRefusal(expiry)) return send(reply, { ...wire.answers.refused(expiry, { operation: 'find', kind, id }, errorIds(request, ids)), status: 404 })
    const { state: { to, at }, manual } = expiry
    return {
      [kind.id]: id,
      status: to,
      ...(to === 'EXPIRED' && { expiredAt: timestamp(at) }),
      ...(manual && { reason: 'MANUAL_EXPIRY', expiredBy: 'API' })
    }
  })
}

/** What the customer of a checkout can do; who has the code may. */
export function checkoutPage (app: FastifyInstance, checkouts: Checkouts, catalogue: Catalogue, log: Logger): void {
  forCustomers(app, log)

  const visit = async (code: string): Promise<Visit> => {
    const found = await checkouts.visit(code)
    if (found === undefined) throw new Refused('NOT_FOUND', `there is no checkout with the code '${code}'`)
    return found
  }

  app.get<{ Params: Static<typeof CodePath> }>('/checkout/:checkoutCode', { config: customer('showCheckout', 'What the page of a checkout shows'), schema: { params: CodePath, response: { 200: CheckoutPage } } }, async (request, reply) => {
    const page = await visit(request.params.checkoutCode)
    return wantsHtml(request) ? sendHtml(reply, asHtml(page)) : reply.header('cache-control', 'no-store').send(write(page, catalogue))
  })

  app.post<{ Params: Static<typeof CodePath>, Body: Static<typeof ChoiceBody> }>('/checkout/:checkoutCode/attempts', {
    config: customer('attemptCheckout', 'Try to pay a checkout'),
    schema: { params: CodePath, body: ChoiceBody, response: { 201: Type.Object({ depositId: Type.String(), status: Type.String() }) } }
  }, async (request, reply) => {
    const attempt = await checkouts.attempt(request.params.checkoutCode, request.body)
    return isRefusal(attempt) ? refuse(request, reply, attempt) : reply.code(201).send({ ...attempt, status: 'ACCEPTED' })
  })

  app.post<{ Params: Static<typeof CodePath> }>('/checkout/:checkoutCode/cancel', { config: customer('cancelCheckout', 'Give a checkout up'), schema: { params: CodePath, response: { 200: CheckoutPage } } }, async (request, reply) => {
    const refusal = await checkouts.cancel(request.params.checkoutCode)
    return refusal === undefined ? reply.send(write(await visit(request.params.checkoutCode), catalogue)) : refuse(request, reply, refusal)
  })
}

function write ({ account, payment, state, parts }: Visit, catalogue: Catalogue): object {
  const { terms, checkoutCode } = payment.details
  return {
    checkoutCode,
    state: state.to,
    companyName: companyOf(account),
    reason: terms.reason,
    defaultLanguage: terms.defaultLanguage,
    created: timestamp(payment.created),
    expiresAt: timestamp(expiryOf(payment)),
    countries: offersOf(account, catalogue, terms.countries).map(writeOffer),
    amounts: terms.amounts ?? [],
    payer: terms.payer,
    attempts: parts.map(writeDeposit),
    returnMethod: terms.returnMethod,
    ...(isFinal(state.to) && { returnUrl: returning(terms.returnUrl, 'checkoutCode', checkoutCode) })
  }
}

/** The page in its plainest form: it says what it is, and how to pay without it. */
function asHtml ({ account, payment, state, parts }: Visit): Html {
  const { terms, checkoutCode } = payment.details
  const company = companyOf(account)
  return document(`Checkout of ${company}`, html`<h1>Checkout of ${company}</h1>
<p>This is a simulated checkout of momock; no money moves. It is ${state.to}, and open until ${timestamp(expiryOf(payment))}.</p>
<ul>
${Object.values(terms.reason ?? {}).map((text) => html`<li>For: ${text}</li>`)}
${(terms.amounts ?? []).map(({ country, currency, amount }) => html`<li>${amount} ${currency} in ${country}</li>`)}
${parts.map((part) => html`<li>Attempt ${part.payment.details.id}: ${part.state.to}</li>`)}
</ul>
<p>To pay: <code>POST /checkout/${checkoutCode}/attempts</code> with a JSON body such as <code>{"provider": "…", "phoneNumber": "…"}</code>.
<code>GET /checkout/${checkoutCode}</code> with <code>Accept: application/json</code> shows what can be chosen, and <code>POST /checkout/${checkoutCode}/cancel</code> gives up.</p>
${isFinal(state.to) ? html`<p><a href="${returning(terms.returnUrl, 'checkoutCode', checkoutCode)}">Back to ${company}</a></p>` : undefined}`)
}
