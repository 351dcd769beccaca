import type { Static } from '@sinclair/typebox'
import { readVersion, type Version } from '../../src/domain/api-version.ts'
import { readLimit } from '../../src/admin-api/fields.ts'
import {
  CallbackToSend,
  CountQuery,
  MomentQuery,
  MoveError,
  MoveRequest,
  PaymentCounts,
  PaymentPage,
  PaymentPath,
  PaymentQuery,
  PaymentSummary,
  PaymentView
} from '../../src/admin-api/payments.ts'
import type { Account } from '../../src/domain/account.ts'
import { checkCallbackFault, readCallbackFault } from '../../src/domain/callback-faults.ts'
import { failuresOf, type FailureCode } from '../../src/domain/failures.ts'
import type { Kind } from '../../src/domain/kinds.ts'
import { isFinal, type Status } from '../../src/domain/status.ts'
import type { PaymentRecord } from '../../src/services/payment-inspector.ts'
import type { PaymentInspector } from '../../src/services/payment-inspector.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { checkProvider } from './matcher-words.ts'
import { findKind, paymentNotFound, showMoment, showPayment, summarisePayment } from './views.ts'
import type { AdminParts } from './parts.ts'

/** Calls about payments: list them, show one, and move one to another status. */
export function adminPaymentRoutes (app: TypedApp, parts: AdminParts): void {
  addReadRoutes(app, parts)
  addMoveRoute(app, parts)
  addCallbackRoute(app, parts)
}

function addReadRoutes (
  app: TypedApp,
  { paymentInspector, wires, catalogue: { providers } }: AdminParts
): void {
  app.get(
    '/payments',
    {
      config: {
        ...adminCall('listPayments', 'List the payments of this account, oldest or newest first'),
        errors: [404]
      },
      schema: { querystring: PaymentQuery, response: { 200: PaymentPage } }
    },
    async ({ account, query }) => {
      const { order, after, limit, ...filter } = query
      checkProvider('provider', query.provider, providers)
      const { found, ...page } = await paymentInspector.list(account, {
        ...readFilter(filter),
        newest: order === 'newest',
        ...(after !== undefined && { after: Number(after) }),
        limit: readLimit(limit)
      })
      return { payments: await summariseAll(paymentInspector, account, found), ...page }
    }
  )

  app.get(
    '/payments/counts',
    {
      config: {
        ...adminCall('countPayments', 'Count the payments of this account by kind and status'),
        errors: [404]
      },
      schema: { querystring: CountQuery, response: { 200: PaymentCounts } }
    },
    async ({ account, query }) => {
      checkProvider('provider', query.provider, providers)
      const { counts, isComplete } = await paymentInspector.count(account, readFilter(query))
      const total = counts.reduce((sum, { count }) => sum + count, 0)
      return { total, complete: isComplete, counts }
    }
  )

  app.get(
    '/payments/:kind/:id',
    {
      config: {
        ...adminCall(
          'getPayment',
          'Show a payment with its history, wallet entries, callbacks and scenario'
        ),
        errors: [404]
      },
      schema: { params: PaymentPath, querystring: MomentQuery, response: { 200: PaymentView } }
    },
    async ({ account, params, query: { moment } }) => {
      const kind = findKind(params.kind)
      const record = await paymentInspector.find(account, kind, params.id)
      if (record === undefined) throw paymentNotFound(kind, params.id)
      return moment === undefined
        ? showPayment(record, wires, account)
        : showMoment(record, Number(moment), wires, account)
    }
  )
}

/** Summarises the payments of a list, each with its latest callback. */
async function summariseAll (
  paymentInspector: PaymentInspector,
  account: Account,
  found: Array<Parameters<typeof summarisePayment>[0]>
): Promise<Array<Static<typeof PaymentSummary>>> {
  const numbers = found.map(({ payment }) => payment.seq)
  const callbacks = await paymentInspector.findLatestCallbacks(account, numbers)
  return found.map((one) => {
    const callback = callbacks.get(one.payment.seq)
    return { ...summarisePayment(one), ...(callback !== undefined && { callback }) }
  })
}

/** Reads the filters of a query. */
function readFilter<Filter extends Static<typeof CountQuery>> (query: Filter) {
  const { kind, since, until, withinMs, ...filter } = readVersion<Version, Filter>(query)
  return {
    ...filter,
    ...(kind !== undefined && { kind: findKind(kind) }),
    ...(since !== undefined && { since: Date.parse(since) }),
    ...(until !== undefined && { until: Date.parse(until) }),
    ...(withinMs !== undefined && { withinMs: Number(withinMs) })
  }
}

function addMoveRoute (app: TypedApp, { paymentInspector, payments, wires }: AdminParts): void {
  app.post(
    '/payments/:kind/:id/move',
    {
      config: {
        ...adminCall(
          'movePayment',
          'Move a payment to another status, now',
          'Its money and its callback follow as usual. The payment stays in this status until it ' +
            'is moved again: the rest of its scenario is dropped.'
        ),
        errors: [404]
      },
      schema: {
        params: PaymentPath,
        body: MoveRequest,
        response: { 200: PaymentView, 409: MoveError }
      }
    },
    async ({ account, params, body: { to, failureCode } }) => {
      const kind = findKind(params.kind)
      checkFailureCode(kind, to, failureCode)
      const refusal = await payments.actions.move(account, kind, params.id, {
        to,
        cause: 'moved by the tester',
        ...(failureCode !== undefined && { failureCode })
      })
      if (refusal?.code === 'NOT_FOUND') throw paymentNotFound(kind, params.id)
      const record = await paymentInspector.find(account, kind, params.id)
      if (record === undefined) throw paymentNotFound(kind, params.id)
      const seen = showPayment(record, wires, account)
      if (refusal === undefined) return seen
      const { message, legalMoves = [] } = refusal
      throw new AdminError(
        'CONFLICT',
        message,
        legalMoves.length > 0 ? `use "to": "${legalMoves[0]}"` : immovableHint(record, kind),
        { legalMoves, seen }
      )
    }
  )
}

function addCallbackRoute (app: TypedApp, { paymentInspector, payments, wires }: AdminParts): void {
  app.post(
    '/payments/:kind/:id/callbacks',
    {
      config: {
        ...adminCall(
          'sendCallback',
          'Send a callback about a payment, now',
          'Without fields it is correct. `tampered`, `wrongKey`, `otherHost` and `unsigned` ' +
            'forge it, `stale` makes its signature old, and `duplicates` sends it more than ' +
            'once. `status` reports an earlier status of the payment; with a fault that forges, ' +
            'it claims any status. The payment does not change. On a frozen clock it is ' +
            'sent when the clock is advanced. The answer shows the new callbacks last in ' +
            '`callbacks`.'
        ),
        errors: [404, 409]
      },
      schema: { params: PaymentPath, body: CallbackToSend, response: { 202: PaymentView } }
    },
    async ({ account, params, body: { status, ...written } }, reply) => {
      const kind = findKind(params.kind)
      const [problem] = checkCallbackFault(written)
      if (problem !== undefined) {
        throw new AdminError('BAD_REQUEST', problem.message, 'correct the body and try again')
      }
      const refusal = await payments.actions.sendCallback(account, kind, params.id, {
        ...(status !== undefined && { status }),
        fault: readCallbackFault(written)
      })
      if (refusal?.code === 'NOT_FOUND') throw paymentNotFound(kind, params.id)
      if (refusal !== undefined) {
        throw new AdminError('CONFLICT', refusal.message, callbackHint(status))
      }
      const record = await paymentInspector.find(account, kind, params.id)
      if (record === undefined) throw paymentNotFound(kind, params.id)
      return reply.code(202).send(showPayment(record, wires, account))
    }
  )
}

/** Hint for a callback that cannot be sent. */
function callbackHint (status: Status | undefined): string {
  return status === undefined
    ? 'PATCH /__admin/account sets `callbacks`'
    : 'leave status out to report the present one'
}

function checkFailureCode (kind: Kind, to: Status, failureCode: FailureCode | undefined): void {
  if (failureCode === undefined) return
  if (to !== 'FAILED') {
    throw new AdminError(
      'BAD_REQUEST',
      `failureCode is only for FAILED, and this payment is moved to ${to}`,
      'remove failureCode'
    )
  }
  const codes = failuresOf(kind.name)
  if (!codes.includes(failureCode)) {
    throw new AdminError(
      'BAD_REQUEST',
      `failureCode '${failureCode}' is not a failure of a ${kind.name}`,
      codes.length > 0
        ? `use ${codes.join(', ')}`
        : `a ${kind.name} has no failure codes: remove it`
    )
  }
}

/** Explains why a payment cannot be moved at all. */
function immovableHint ({ view: { state } }: PaymentRecord, { name, money }: Kind): string {
  if (isFinal(state.to)) return `${state.to} is final; create another ${name}`
  return money === 'none'
    ? `a ${name} follows its parts: move those`
    : 'it follows the payment that it is a part of: move that one'
}
