import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import { kinds } from '../../src/domain/kinds.ts'
import { nextChange } from '../../src/domain/payment.ts'
import { isFinal } from '../../src/domain/status.ts'
import { Refused } from '../../src/domain/refusal.ts'
import type { CustomerPhone } from '../../src/services/customer-phone.ts'
import type { Payments } from '../../src/services/payments.ts'
import { companyName, PhonePage } from '../../src/wire/pages.ts'
import { closed, FailureReason, ReturnUrl, wordOf } from '../../src/wire/fields.ts'
import type { View } from '../../src/wire/wire.ts'
import {
  pageCall,
  EventStream,
  handlePageErrors,
  createReader,
  refusePage,
  sendHtml,
  wantsHtml,
  type PageParts
} from './customer.ts'
import { isForm } from './forms.ts'
import { snapshotTag } from '../http/sse.ts'
import { createPhoneLink } from './phone-link.ts'

const CodePath = Type.Object({
  code: Type.String({ maxLength: 64, description: 'the end of the authorizationUrl' })
})

const Decision = Type.Object(
  {
    decision: Type.Union([Type.Literal('approve'), Type.Literal('decline'), Type.Literal('wait')], {
      description:
        "'approve', 'decline', or 'wait': the customer has come, as when the page is opened, " +
        'and is waited for'
    })
  },
  { ...closed, description: '{ decision }' }
)

const Authorisation = Type.Object(
  {
    depositId: Type.String(),
    status: wordOf('ACCEPTED', 'PROCESSING', 'IN_RECONCILIATION', 'COMPLETED', 'FAILED'),
    companyName: Type.String(),
    amount: Type.String(),
    currency: Type.String(),
    provider: Type.String(),
    phoneNumber: Type.String(),
    customerMessage: Type.String(),
    failureReason: Type.Optional(FailureReason),
    successfulUrl: Type.Optional(ReturnUrl),
    failedUrl: Type.Optional(ReturnUrl),
    returnUrl: Type.Optional(
      Type.String({ description: 'which of the two the customer goes to, once it is decided' })
    ),
    phonePage: PhonePage
  },
  closed
)

/**
 * Where the customer of a redirecting provider is sent to approve or decline a deposit; who has the
 * code may.
 */
export function authorisationRoutes (
  app: FastifyInstance,
  payments: Payments,
  customerPhone: CustomerPhone,
  { accounts, catalogue, ids, clockControl, eventStreams, log }: PageParts
): void {
  handlePageErrors(app, log)

  const visit = async (code: string): Promise<View> => {
    const view = await payments.findByCode(code)
    if (view === undefined) throw new Refused('NOT_FOUND', 'there is no deposit to authorise here')
    return view
  }
  const accountOf = ({ payment }: View) => accounts.byId(payment.account)
  /** Who opens the page is there, so nothing is decided without them. */
  const attend = async (view: View) =>
    isFinal(view.state.to)
      ? undefined
      : await customerPhone.waitForCustomer(accountOf(view), view.payment.details.id)
  const phoneOf = (view: View) =>
    createPhoneLink(ids, accountOf(view), view.payment.details.phoneNumber, {
      kind: kinds.deposit,
      id: view.payment.details.id
    })
  const write = (view: View): object => {
    const {
      payment: {
        details: {
          id,
          amount,
          currency,
          provider,
          phoneNumber,
          customerMessage,
          successfulUrl,
          failedUrl
        }
      },
      state
    } = view
    return {
      depositId: id,
      status: state.to,
      companyName: companyName(accountOf(view)),
      amount,
      currency,
      provider,
      phoneNumber,
      customerMessage,
      failureReason: state.failure,
      successfulUrl,
      failedUrl,
      ...(isFinal(state.to) && { returnUrl: state.to === 'COMPLETED' ? successfulUrl : failedUrl }),
      phonePage: phoneOf(view).path
    }
  }

  app.get<{ Params: Static<typeof CodePath> }>(
    '/authorise/:code',
    {
      config: pageCall(
        'showAuthorisation',
        'Where the customer of a redirecting provider authorises a deposit'
      ),
      schema: { params: CodePath, response: { 200: Authorisation } }
    },
    async (request, reply) => {
      const { code } = request.params
      if (!wantsHtml(request)) {
        return reply.header('cache-control', 'no-store').send(write(await visit(code)))
      }
      await attend(await visit(code))
      const view = await visit(code)
      const { authorisationHtml } = await import('./templates/authorisation.ts')
      return sendHtml(
        reply,
        authorisationHtml(await createReader(request, reply), {
          view,
          code,
          company: companyName(accountOf(view)),
          mark: snapshotTag(write(view), accountOf(view)),
          catalogue,
          phone: phoneOf(view)
        })
      )
    }
  )

  app.post<{ Params: Static<typeof CodePath>; Body: Static<typeof Decision> }>(
    '/authorise/:code',
    {
      config: pageCall(
        'decideAuthorisation',
        'Approve or decline a deposit of a redirecting provider, or let it wait'
      ),
      schema: { params: CodePath, body: Decision, response: { 200: Authorisation } }
    },
    async (request, reply) => {
      const { code } = request.params
      const view = await visit(code)
      const { decision } = request.body
      const refusal =
        decision === 'wait'
          ? await attend(view)
          : await customerPhone.answerPrompt(
            accountOf(view),
            view.payment.details.id,
            decision,
              `${decision}d by the customer`
          )
      if (isForm(request) && (refusal === undefined || refusal.code === 'WRONG_STATE')) {
        return reply.redirect(`/authorise/${code}`, 303)
      }
      return refusal === undefined
        ? reply.send(write(await visit(code)))
        : await refusePage(request, reply, refusal)
    }
  )

  app.get<{ Params: Static<typeof CodePath> }>(
    '/authorise/:code/events',
    {
      config: pageCall(
        'followAuthorisation',
        'How a deposit of a redirecting provider stands, at every change'
      ),
      schema: { params: CodePath, response: EventStream }
    },
    async (request, reply) =>
      await eventStreams.send(reply, async () => {
        const view = await visit(request.params.code)
        const account = accountOf(view)
        const next = nextChange(view.payment, clockControl.now(account))
        return {
          account,
          body: write(view),
          final: isFinal(view.state.to),
          ...(next !== undefined && { next })
        }
      })
  )
}
