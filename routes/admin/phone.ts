import type { Static } from '@sinclair/typebox'
import type { FastifyError, FastifyRequest } from 'fastify'
import {
  PhonePath,
  PhoneQuery,
  PhoneView,
  PromptAnswer,
  PromptPath
} from '../../src/admin-api/phone.ts'
import type { Account } from '../../src/domain/account.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { isSameSecret } from '../../src/lib/secrets.ts'
import type { CustomerPhone, PhoneScreen, PhoneSubject } from '../../src/services/customer-phone.ts'
import type { Payments } from '../../src/services/payments.ts'
import { companyName, writeDeposit } from '../../src/wire/pages.ts'
import { snapshotTag } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { sendHtml, wantsHtml } from '../http/html.ts'
import { createReader, EventStream, type PageParts } from '../pages/customer.ts'
import { isForm, readForms } from '../http/forms.ts'
import { createPhoneKey, createPhoneLink, readSubject } from '../http/phone-link.ts'
import { AdminError, explainFailure, sendFailure, statusOf } from './errors.ts'
import { adminCall } from './guard.ts'

export interface PhoneParts extends PageParts {
  payments: Payments
  customerPhone: CustomerPhone
}

const pathValidator = createValidator(PhonePath)
const queryValidator = createValidator(PhoneQuery)

/** Calls and pages of a customer's phone: its prompts, its messages, and the answers. */
export function phoneRoutes (app: TypedApp, parts: PhoneParts): void {
  readForms(app)
  showErrorPages(app, parts)
  addShowRoute(app, parts)
  addAnswerRoute(app, parts)
  addFollowRoute(app, parts)
}

/** Answers browsers with an error page, as the other pages do. */
function showErrorPages (app: TypedApp, { log }: PhoneParts): void {
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const failure = await explainFailure(error, request, log)
    if (!wantsHtml(request)) return sendFailure(reply, failure)
    const { problemPage } = await import('../pages/templates/problem.ts')
    const { reason: code, message, hint } = failure
    return sendHtml(
      reply.code(statusOf(code)),
      problemPage(await createReader(request, reply), { code, message, hint })
    )
  })
}

function addShowRoute (app: TypedApp, parts: PhoneParts): void {
  const { catalogue, customerPhone, ids } = parts
  app.get(
    '/phone/:phoneNumber',
    {
      config: {
        ...adminCall('getPhone', "Show a customer's phone: open prompts and received messages"),
        link: (request) => findLinkedAccount(request, parts)
      },
      schema: { params: PhonePath, querystring: PhoneQuery, response: { 200: PhoneView } }
    },
    async (request, reply) => {
      const { account } = request
      const { phoneNumber } = request.params
      const about = readSubject(request.query.about)
      const screen = await customerPhone.readScreen(account, phoneNumber, about)
      const view = await showPhone(parts, account, phoneNumber, about, screen)
      if (!wantsHtml(request)) return reply.header('cache-control', 'no-store').send(view)
      const { phoneHtml } = await import('../pages/templates/phone.ts')
      const { path, query } = createPhoneLink(ids, account, phoneNumber, about)
      return sendHtml(
        reply,
        phoneHtml(await createReader(request, reply), {
          number: phoneNumber,
          screen,
          company: companyName(account),
          mark: snapshotTag(view, account),
          catalogue,
          path,
          query,
          whole: about === undefined
        })
      )
    }
  )
}

function addAnswerRoute (app: TypedApp, parts: PhoneParts): void {
  const { customerPhone, ids } = parts
  app.post(
    '/phone/:phoneNumber/deposits/:depositId',
    {
      config: {
        ...adminCall('answerPrompt', 'Approve, decline or ignore the prompt of a deposit'),
        errors: [404, 409],
        link: (request) => findLinkedAccount(request, parts)
      },
      schema: {
        params: PromptPath,
        querystring: PhoneQuery,
        body: PromptAnswer,
        response: { 200: PhoneView }
      }
    },
    async (request, reply) => {
      const { account, params, body } = request
      const { phoneNumber, depositId } = params
      const about = readSubject(request.query.about)
      if (!(await isShown(parts, account, params, about))) {
        throw new AdminError(
          'NOT_FOUND',
          `there is no deposit ${depositId} of ${phoneNumber} on this account`,
          'send the token of the account that created it'
        )
      }
      const refusal = await customerPhone.answerPrompt(
        account,
        depositId,
        body.decision,
        `${body.decision}d on the phone`
      )
      if (isForm(request)) {
        return reply.redirect(createPhoneLink(ids, account, phoneNumber, about).url, 303)
      }
      if (refusal !== undefined) {
        throw new AdminError(
          'CONFLICT',
          refusal.message,
          `GET /__admin/phone/${phoneNumber} shows the open prompts`
        )
      }
      const screen = await customerPhone.readScreen(account, phoneNumber, about)
      return await showPhone(parts, account, phoneNumber, about, screen)
    }
  )
}

function addFollowRoute (app: TypedApp, parts: PhoneParts): void {
  const { customerPhone, eventStreams } = parts
  app.get(
    '/phone/:phoneNumber/events',
    {
      config: {
        ...adminCall('followPhone', "Follow a customer's phone"),
        link: (request) => findLinkedAccount(request, parts)
      },
      schema: { params: PhonePath, querystring: PhoneQuery, response: EventStream }
    },
    async ({ account, params: { phoneNumber }, query }, reply) => {
      const about = readSubject(query.about)
      return await eventStreams.send(reply, async () => {
        const screen = await customerPhone.readScreen(account, phoneNumber, about)
        return {
          account,
          body: await showPhone(parts, account, phoneNumber, about, screen),
          topics: [{ phoneNumber }],
          final: false,
          ...(screen.next !== undefined && { next: screen.next })
        }
      })
    }
  )
}

/** Finds the account of a phone link: a browser sends the key of the link instead of a token. */
function findLinkedAccount (
  { params, query }: FastifyRequest,
  { accounts, ids }: PhoneParts
): Account | undefined {
  if (!pathValidator.check(params) || !queryValidator.check(query)) return undefined
  const { key = '', about } = query
  const [id] = key.split('.', 1)
  const account = /^\d{1,9}$/.test(id) ? accounts.find(Number(id)) : undefined
  if (account === undefined) return undefined
  const wanted = createPhoneKey(ids, account, params.phoneNumber, readSubject(about))
  return isSameSecret(key, wanted) ? account : undefined
}

/** Tells whether a deposit is on this phone, and belongs to the subject of the link. */
async function isShown (
  { payments, customerPhone }: PhoneParts,
  account: Account,
  { phoneNumber, depositId }: Static<typeof PromptPath>,
  about: PhoneSubject | undefined
): Promise<boolean> {
  const found = await payments.find(account, kinds.deposit, depositId)
  if (found === undefined || !('phoneNumber' in found.payment.details)) return false
  const { seq, details } = found.payment
  if (details.phoneNumber !== phoneNumber) return false
  if (about === undefined) return true
  const belongings = await customerPhone.listRelatedPayments(account, about)
  return belongings.some((payment) => payment.seq === seq)
}

async function showPhone (
  { catalogue, ids }: PhoneParts,
  account: Account,
  phoneNumber: string,
  about: PhoneSubject | undefined,
  { prompts, messages }: PhoneScreen
): Promise<Static<typeof PhoneView>> {
  const [{ messageText }, { createSay }] = await Promise.all([
    import('../pages/templates/phone.ts'),
    import('../pages/templates/texts.ts')
  ])
  const voice = { language: 'en' as const, say: createSay('en') }
  return {
    phoneNumber,
    page: createPhoneLink(ids, account, phoneNumber, about).url,
    prompts: prompts.map((view) => ({
      ...writeDeposit(view),
      customerMessage: view.payment.details.customerMessage
    })),
    messages: messages.map((view) => ({
      at: new Date(view.state.at).toISOString(),
      kind: view.payment.kind.name,
      id: view.payment.details.id,
      status: view.state.to === 'COMPLETED' ? 'COMPLETED' : 'FAILED',
      from: view.payment.details.provider,
      text: messageText(voice, view, companyName(account), catalogue)
    }))
  }
}
