import { timingSafeEqual } from 'node:crypto'
import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify'
import type { Account } from '../../src/domain/account.ts'
import { kinds } from '../../src/domain/kinds.ts'
import type { Payments } from '../../src/services/payments.ts'
import {
  decisions,
  type CustomerPhone,
  type PhoneScreen,
  type PhoneSubject
} from '../../src/services/customer-phone.ts'
import { companyName, DepositRecord, writeDeposit } from '../../src/wire/pages.ts'
import { closed, DateTime, PathIdentifier, PhoneNumber, wordOf } from '../../src/wire/fields.ts'
import type { View } from '../../src/wire/wire.ts'
import {
  EventStream,
  createReader,
  sendHtml,
  wantsHtml,
  type PageParts
} from '../pages/customer.ts'
import { isForm, readForms } from '../pages/forms.ts'
import { snapshotTag } from '../http/sse.ts'
import { subjectPattern, phoneKey, createPhoneLink, readSubject } from '../pages/phone-link.ts'
import { adminCall, AdminError, explainFailure, sendFailure, statusOf } from './guard.ts'

const PhonePath = Type.Object({
  phoneNumber: Type.String({
    ...PhoneNumber,
    pattern: '^[0-9]{1,32}$',
    description: 'a phone number with its country code, digits only'
  })
})
const PromptPath = Type.Object({
  ...PhonePath.properties,
  // That of the example deposit, so that this example finds it.
  depositId: Type.String({ ...PathIdentifier, examples: ['0b5cbd82-5299-43ea-a0a4-e2f686bce85c'] })
})

const PhoneQuery = Type.Object({
  about: Type.Optional(
    Type.String({
      pattern: subjectPattern,
      description: "'deposit/ID' or 'checkout/ID': only what belongs to this payment"
    })
  ),
  key: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'the key of a link to this phone, in place of tokens; it opens what the link is about'
    })
  )
})

const Answer = Type.Object(
  {
    decision: Type.Union(
      decisions.map((decision) => Type.Literal(decision)),
      { description: `one of ${decisions.join(', ')}` }
    )
  },
  { ...closed, description: '{ decision }' }
)

export const Phone = Type.Object(
  {
    phoneNumber: Type.String(),
    page: Type.String({
      description:
        'the path of this phone as a page; its key opens this number of this account, or ' +
        'what of it was asked for with `about`, and nothing else'
    }),
    prompts: Type.Array(
      Type.Object({ ...DepositRecord.properties, customerMessage: Type.String() })
    ),
    messages: Type.Array(
      Type.Object(
        {
          at: DateTime,
          kind: wordOf(...Object.keys(kinds)),
          id: Type.String(),
          status: wordOf('COMPLETED', 'FAILED'),
          from: Type.String({ description: 'the provider that sent it' }),
          text: Type.String()
        },
        closed
      )
    )
  },
  closed
)

/**
 * The phone of a customer: what waits for their PIN, the messages they got, and the keys to press.
 */
export function phoneRoutes (
  app: FastifyInstance,
  payments: Payments,
  customerPhone: CustomerPhone,
  { accounts, catalogue, ids, eventStreams, log }: PageParts
): void {
  readForms(app)
  // Who asks with a browser is refused with a page, as on the other pages.
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

  /** A link with a key opens the phone in a browser, which has no token to send. */
  const link = (request: FastifyRequest): Account | undefined => {
    const { key = '' } = request.query as Record<string, unknown>
    const [id] = String(key).split('.', 1)
    if (!/^\d{1,9}$/.test(id) || !accounts.has(Number(id))) return undefined
    const account = accounts.byId(Number(id))
    const wanted = Buffer.from(
      phoneKey(
        ids,
        account,
        (request.params as { phoneNumber: string }).phoneNumber,
        aboutOf(request)
      )
    )
    const given = Buffer.from(String(key))
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? account : undefined
  }
  const write = async (
    account: Account,
    phoneNumber: string,
    about: PhoneSubject | undefined,
    { prompts, messages }: PhoneScreen
  ): Promise<object> => {
    const [{ messageText }, { createSay: speak }] = await Promise.all([
      import('../pages/templates/phone.ts'),
      import('../pages/templates/texts.ts')
    ])
    const reader = { language: 'en' as const, say: speak('en') }
    return {
      phoneNumber,
      page: createPhoneLink(ids, account, phoneNumber, about).path,
      prompts: prompts.map((view) => ({
        ...writeDeposit(view),
        customerMessage: view.payment.details.customerMessage
      })),
      messages: messages.map((view: View) => ({
        at: new Date(view.state.at).toISOString(),
        kind: view.payment.kind.name,
        id: view.payment.details.id,
        status: view.state.to,
        from: view.payment.details.provider,
        text: messageText(reader, view, companyName(account), catalogue)
      }))
    }
  }
  const config = (id: string, summary: string) => ({ ...adminCall(id, summary), link })

  app.get<{ Params: Static<typeof PhonePath> }>(
    '/phone/:phoneNumber',
    {
      config: config(
        'getPhone',
        "What a customer's phone shows: the prompts that wait for an answer, and the " +
          'messages it got'
      ),
      schema: { params: PhonePath, querystring: PhoneQuery, response: { 200: Phone } }
    },
    async (request, reply) => {
      const {
        account,
        params: { phoneNumber }
      } = request
      const about = aboutOf(request)
      const screen = await customerPhone.readScreen(account, phoneNumber, about)
      const body = await write(account, phoneNumber, about, screen)
      if (!wantsHtml(request)) return reply.header('cache-control', 'no-store').send(body)
      const { phoneHtml } = await import('../pages/templates/phone.ts')
      const [path, query] = createPhoneLink(ids, account, phoneNumber, about).path.split('?')
      return sendHtml(
        reply,
        phoneHtml(await createReader(request, reply), {
          number: phoneNumber,
          screen,
          company: companyName(account),
          mark: snapshotTag(body, account),
          catalogue,
          path,
          query: `?${query}`,
          whole: about === undefined
        })
      )
    }
  )

  app.post<{ Params: Static<typeof PromptPath>; Body: Static<typeof Answer> }>(
    '/phone/:phoneNumber/deposits/:depositId',
    {
      config: config('answerPrompt', 'Approve, decline or ignore the prompt of a deposit'),
      schema: {
        params: PromptPath,
        querystring: PhoneQuery,
        body: Answer,
        response: { 200: Phone }
      }
    },
    async (request, reply) => {
      const {
        account,
        params: { phoneNumber, depositId },
        body: { decision }
      } = request
      const found = (await payments.find(account, kinds.deposit, depositId)) as View | undefined
      const about = aboutOf(request)
      const isShown =
        found?.payment.details.phoneNumber === phoneNumber &&
        (about === undefined ||
          (await customerPhone.listRelatedPayments(account, about)).some(
            ({ seq }) => seq === found.payment.seq
          ))
      if (!isShown) {
        throw new AdminError(
          'NOT_FOUND',
          `there is no deposit ${depositId} of ${phoneNumber} on this account`,
          'a payment belongs to the account whose token made it'
        )
      }
      const refusal = await customerPhone.answerPrompt(
        account,
        depositId,
        decision,
        `${decision}d on the phone`
      )
      if (isForm(request)) {
        return reply.redirect(createPhoneLink(ids, account, phoneNumber, about).path, 303)
      }
      if (refusal !== undefined) {
        throw new AdminError(
          'CONFLICT',
          refusal.message,
          `GET /__admin/phone/${phoneNumber} shows what waits for an answer`
        )
      }
      return await write(
        account,
        phoneNumber,
        about,
        await customerPhone.readScreen(account, phoneNumber, about)
      )
    }
  )

  app.get<{ Params: Static<typeof PhonePath> }>(
    '/phone/:phoneNumber/events',
    {
      config: config('followPhone', "What a customer's phone shows, at every change"),
      schema: { params: PhonePath, querystring: PhoneQuery, response: EventStream }
    },
    async (request, reply) => {
      const {
        account,
        params: { phoneNumber }
      } = request
      const about = aboutOf(request)
      return await eventStreams.send(reply, async () => {
        const screen = await customerPhone.readScreen(account, phoneNumber, about)
        return {
          account,
          body: await write(account, phoneNumber, about, screen),
          final: false,
          ...(screen.next !== undefined && { next: screen.next })
        }
      })
    }
  )
}

/** What of the phone the address asks for. */
function aboutOf ({ query }: FastifyRequest): PhoneSubject | undefined {
  return readSubject((query as Record<string, unknown>).about)
}
