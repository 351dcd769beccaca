import { formatAmount } from '../../src/domain/amount.ts'
import type { Static } from '@sinclair/typebox'
import { kinds } from '../../src/domain/kinds.ts'
import { nextChange } from '../../src/domain/payment.ts'
import { Refused, type Refusal } from '../../src/domain/refusal.ts'
import { isFinal, statusesOf } from '../../src/domain/status.ts'
import { answerWord, choice, closed, Type } from '../../src/lib/typebox.ts'
import type { CustomerPhone } from '../../src/services/customer-phone.ts'
import type { LinkedDeposit, Payments } from '../../src/services/payments.ts'
import { FailureReason, ReturnUrl } from '../../src/wire/fields.ts'
import { companyName, PhonePage } from '../../src/wire/pages.ts'
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
  type PageParts
} from './customer.ts'
import { isForm } from '../http/forms.ts'
import { createPhoneLink, type PhoneLink } from '../http/phone-link.ts'

const CodePath = Type.Object({
  code: Type.String({ maxLength: 64, description: 'the end of the authorizationUrl' })
})

const Decision = Type.Object(
  {
    decision: choice(['approve', 'decline', 'wait'], {
      description:
        "'approve', 'decline', or 'wait': the customer has opened the page and will decide later"
    })
  },
  { ...closed, description: '{ decision }' }
)

const Authorisation = Type.Object(
  {
    depositId: Type.String(),
    status: answerWord(...statusesOf(kinds.deposit)),
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
      Type.String({
        description: 'the URL of the two that the customer goes to after the decision'
      })
    ),
    phonePage: PhonePage
  },
  closed
)

export interface AuthorisationParts extends PageParts {
  payments: Payments
  customerPhone: CustomerPhone
}

/** Pages on which the customer of a redirecting provider approves or declines a deposit. */
export function authorisationRoutes (app: TypedApp, parts: AuthorisationParts): void {
  handlePageErrors(app, parts.log)
  const page = new AuthorisationPage(parts)
  addShowRoute(app, page, parts)
  addDecideRoute(app, page, parts)
  addFollowRoute(app, page, parts)
}

function addShowRoute (app: TypedApp, page: AuthorisationPage, parts: AuthorisationParts): void {
  app.get(
    '/authorise/:code',
    {
      config: {
        ...customerPage(
          'showAuthorisation',
          'Show the page on which the customer of a redirecting provider authorises a deposit'
        ),
        errors: [404]
      },
      schema: { params: CodePath, response: { 200: Authorisation } }
    },
    async (request, reply) => {
      const { code } = request.params
      if (!wantsHtml(request)) {
        return reply.header('cache-control', 'no-store').send(page.write(await page.find(code)))
      }
      await page.attend(await page.find(code))
      const view = await page.find(code)
      const { account } = view
      const { authorisationHtml } = await import('./templates/authorisation.ts')
      return sendHtml(
        reply,
        authorisationHtml(await createReader(request, reply), {
          view,
          code,
          company: companyName(account),
          mark: snapshotTag(page.write(view), account),
          catalogue: parts.catalogue,
          phone: page.phoneOf(view)
        })
      )
    }
  )
}

function addDecideRoute (
  app: TypedApp,
  page: AuthorisationPage,
  { customerPhone }: AuthorisationParts
): void {
  app.post(
    '/authorise/:code',
    {
      config: {
        ...pageCall(
          'decideAuthorisation',
          'Approve or decline a deposit of a redirecting provider, or decide later'
        ),
        errors: [404, 409]
      },
      schema: { params: CodePath, body: Decision, response: { 200: Authorisation } }
    },
    async (request, reply) => {
      const { code } = request.params
      const { decision } = request.body
      const view = await page.find(code)
      const refusal =
        decision === 'wait'
          ? await page.attend(view)
          : await customerPhone.answerPrompt(
            view.account,
            view.payment.details.id,
            decision,
              `${decision}d by the customer`
          )
      if (isForm(request) && (refusal === undefined || refusal.code === 'WRONG_STATE')) {
        return reply.redirect(`/authorise/${code}`, 303)
      }
      return refusal === undefined
        ? reply.send(page.write(await page.find(code)))
        : await refusePage(request, reply, refusal)
    }
  )
}

function addFollowRoute (
  app: TypedApp,
  page: AuthorisationPage,
  { clockControl, eventStreams }: AuthorisationParts
): void {
  app.get(
    '/authorise/:code/events',
    {
      config: {
        ...pageCall('followAuthorisation', 'Follow a deposit of a redirecting provider'),
        errors: [404]
      },
      schema: { params: CodePath, response: EventStream }
    },
    async ({ params: { code } }, reply) =>
      await eventStreams.send(reply, async () => {
        const view = await page.find(code)
        const { account } = view
        const next = nextChange(view.payment, clockControl.now(account))
        return {
          account,
          body: page.write(view),
          topics: [{ id: view.payment.details.id }],
          final: isFinal(view.state.to),
          ...(next !== undefined && { next })
        }
      })
  )
}

/** Authorisation page of a deposit, found by the code at the end of its address. */
class AuthorisationPage {
  readonly #parts: AuthorisationParts

  constructor (parts: AuthorisationParts) {
    this.#parts = parts
  }

  async find (code: string): Promise<LinkedDeposit> {
    const view = await this.#parts.payments.findByCode(code)
    if (view === undefined) throw new Refused('NOT_FOUND', 'there is no deposit to authorise here')
    return view
  }

  /** Makes an open deposit wait for the customer, who has opened the page. */
  async attend (view: LinkedDeposit): Promise<Refusal | undefined> {
    if (isFinal(view.state.to)) return undefined
    return await this.#parts.customerPhone.waitForCustomer(
      view.account,
      view.payment.details.id
    )
  }

  phoneOf (view: LinkedDeposit): PhoneLink {
    const { id, phoneNumber } = view.payment.details
    const subject = { kind: kinds.deposit, id }
    return createPhoneLink(this.#parts.ids, view.account, phoneNumber, subject)
  }

  write (view: LinkedDeposit): Static<typeof Authorisation> {
    const { payment, state } = view
    const { id, amount, currency, provider, phoneNumber, customerMessage } = payment.details
    const { successfulUrl, failedUrl } = payment.details
    return {
      depositId: id,
      status: state.to,
      companyName: companyName(view.account),
      amount: formatAmount(amount),
      currency,
      provider,
      phoneNumber,
      customerMessage,
      failureReason: state.failure,
      successfulUrl,
      failedUrl,
      ...(isFinal(state.to) && { returnUrl: state.to === 'COMPLETED' ? successfulUrl : failedUrl }),
      phonePage: this.phoneOf(view).url
    }
  }
}
