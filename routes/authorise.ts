import { Type } from '@sinclair/typebox'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { Refused } from '../src/domain/refusal.ts'
import type { Payments } from '../src/payments.ts'
import { closed, ReturnUrl, word } from '../src/wire/fields.ts'
import { customer, forCustomers, sendHtml, wantsHtml } from './customer.ts'
import { document, html } from './html.ts'

const Authorisation = Type.Object({
  depositId: Type.String(),
  status: word('ACCEPTED', 'PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED'),
  successfulUrl: Type.Optional(ReturnUrl),
  failedUrl: Type.Optional(ReturnUrl)
}, closed)

/** Where the customer of a redirecting provider is sent: how the deposit stands, and the two ways back to the merchant. */
export function authorisationPage (app: FastifyInstance, payments: Payments, log: Logger): void {
  forCustomers(app, log)
  app.get('/authorise/:code', {
    config: customer('showAuthorisation', 'Where the customer of a redirecting provider authorises a deposit'),
    schema: { params: Type.Object({ code: Type.String({ description: 'the end of the authorizationUrl' }) }), response: { 200: Authorisation } }
  }, async (request, reply) => {
    const { code } = request.params as { code: string }
    const view = await payments.findByCode(code)
    if (view === undefined) throw new Refused('NOT_FOUND', 'there is no deposit to authorise here')
    const { payment: { details: { id, amount, currency, successfulUrl, failedUrl } }, state } = view
    if (!wantsHtml(request)) return { depositId: id, status: state.to, successfulUrl, failedUrl }
    return sendHtml(reply, document('Authorise a payment', html`<h1>Authorise a payment</h1>
<p>This is a simulated provider of momock; no money moves. The payment of ${amount} ${currency} is ${state.to}, and goes on by itself.</p>
${successfulUrl === undefined ? undefined : html`<p><a href="${successfulUrl}">Back, as if it was approved</a></p>`}
${failedUrl === undefined ? undefined : html`<p><a href="${failedUrl}">Back, as if it was declined</a></p>`}`))
  })
}
