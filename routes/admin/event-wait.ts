import type { FastifyReply } from 'fastify'
import { CallbackView } from '../../src/admin-api/callbacks.ts'
import { PaymentView } from '../../src/admin-api/payments.ts'
import { JournalEntry } from '../../src/admin-api/requests.ts'
import { createEventWait, EventWaitError } from '../../src/admin-api/wait.ts'
import type { Account } from '../../src/domain/account.ts'
import { describeDifference } from '../../src/verification/difference-text.ts'
import type { EventSort, ExpectedStep } from '../../src/verification/expectation.ts'
import type { SeenEvent, UnmetExpectation } from '../../src/verification/expectations.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { CallbackMatcherSchema, RequestMatcherSchema } from '../../src/verification/matching.ts'
import { PaymentMatcherSchema } from '../../src/verification/payment-matching.ts'
import { originalClock } from '../../src/lib/clock.ts'
import { disconnectOf } from '../http/pause.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { checkMatchers } from './matcher-words.ts'
import { showRequest } from './requests.ts'
import { showCallback, showPayment } from './views.ts'
import { readTimeout } from './wait.ts'
import type { AdminParts } from './parts.ts'

/** Waits for an event that fits. */
type Wait = (
  account: Account,
  step: ExpectedStep,
  options: { count?: number; timeout?: string | number },
  reply: FastifyReply
) => Promise<SeenEvent>

/** Calls that wait for a request, a callback or a payment that matches. */
export function eventWaitRoutes (app: TypedApp, parts: AdminParts): void {
  const { eventWaiter, journal } = parts
  const wait: Wait = async (account, step, { count = 1, timeout }, reply) => {
    await checkMatchers(parts, account, [['matcher', step]])
    if (step.request !== undefined && !journal.enabled) throw journalIsOff()
    const outcome = await eventWaiter.wait(
      account,
      { step, count },
      readTimeout(timeout),
      disconnectOf(reply)
    )
    if ('unmet' in outcome) throw explainTimeout(outcome.unmet, account)
    return outcome.found
  }
  addRequestRoute(app, wait, parts)
  addCallbackRoute(app, wait, parts)
  addPaymentRoute(app, wait, parts)
}

function addRequestRoute (app: TypedApp, wait: Wait, { journal }: AdminParts): void {
  app.post(
    '/wait/request',
    {
      config: describeWait('waitForRequest', 'request'),
      schema: {
        body: createEventWait(RequestMatcherSchema),
        response: { 200: JournalEntry, 408: EventWaitError }
      }
    },
    async ({ account, body }, reply) => {
      const { id } = await wait(account, { request: body.matcher }, body, reply)
      const { exchanges } = journal.readPart(account.id)
      const exchange = exchanges.find((exchange) => exchange.id === id)
      if (exchange === undefined) throw isGone('request')
      return showRequest(exchange)
    }
  )
}

function addCallbackRoute (app: TypedApp, wait: Wait, { paymentInspector }: AdminParts): void {
  app.post(
    '/wait/callback',
    {
      config: describeWait('waitForCallback', 'callback'),
      schema: {
        body: createEventWait(CallbackMatcherSchema),
        response: { 200: CallbackView, 408: EventWaitError }
      }
    },
    async ({ account, body }, reply) => {
      const { id } = await wait(account, { callback: body.matcher }, body, reply)
      const after = Number(id) - 1
      const [callback] = await paymentInspector.callbacks(account, { after, limit: 1 })
      if (callback?.seq !== id) throw isGone('callback')
      return showCallback(callback)
    }
  )
}

function addPaymentRoute (
  app: TypedApp,
  wait: Wait,
  { paymentInspector, wires }: AdminParts
): void {
  app.post(
    '/wait/payment',
    {
      config: describeWait('waitForPayment', 'payment'),
      schema: {
        body: createEventWait(PaymentMatcherSchema),
        response: { 200: PaymentView, 408: EventWaitError }
      }
    },
    async ({ account, body }, reply) => {
      const event = await wait(account, { payment: body.matcher }, body, reply)
      if (!('payment' in event)) throw isGone('payment')
      const { kind, id } = event.payment
      const record = await paymentInspector.find(account, kinds[kind], id)
      if (record === undefined) throw isGone('payment')
      return showPayment(record, wires, account)
    }
  )
}

function describeWait (operation: string, sort: EventSort) {
  return {
    ...adminCall(
      operation,
      `Wait until a ${sort} of this account matches`,
      `Answers with the newest ${sort} that matches, also with an earlier one. \`count\` waits ` +
        `for that many. Answers 408 with the nearest ${sort} when the time is up.`
    ),
    errors: [409]
  }
}

/** The account was reset while somebody waited. */
function isGone (sort: EventSort): AdminError {
  return new AdminError('CONFLICT', `the ${sort} was deleted meanwhile`, 'call again')
}

function journalIsOff (): AdminError {
  return new AdminError(
    'CONFLICT',
    'the request journal is switched off, so there is no request to wait for',
    'start the server without --journal 0'
  )
}

function explainTimeout ({ message, nearest }: UnmetExpectation, { clock }: Account): AdminError {
  const differences = nearest?.differences.map(describeDifference)
  return new AdminError(
    'TIMEOUT',
    nearest === undefined
      ? `${message} when the time was up`
      : `${message} when the time was up; the nearest is ${nearest.summary}, but ` +
          `${differences?.join('; ')}`,
    originalClock(clock).mode === 'frozen'
      ? 'the clock of this account is frozen, so nothing happens by itself: advance it with ' +
          'POST /__admin/clock/advance'
      : 'wait longer with "timeout", or name fewer fields in the matcher',
    { nearest }
  )
}
