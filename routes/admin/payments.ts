import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import { failures, failuresOf, type FailureCode } from '../../src/domain/failures.ts'
import type { Kind } from '../../src/domain/kinds.ts'
import type { Status } from '../../src/domain/status.ts'
import { isFinal, statuses } from '../../src/domain/status.ts'
import type { Payments } from '../../src/services/payments.ts'
import type { PaymentRecord, PaymentInspector } from '../../src/services/payment-inspector.ts'
import { closed, wordOf } from '../../src/wire/fields.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { adminCall, AdminError, adminFailure } from './guard.ts'
import { DateTimeText, PageLimit, readLimit, NumberText } from './paging.ts'
import {
  KindWord,
  findKind,
  paymentNotFound,
  PaymentId,
  PaymentSummary,
  PaymentView,
  showPayment,
  summarisePayment
} from './views.ts'

const Path = Type.Object({ kind: KindWord, id: PaymentId })

const Filter = Type.Object(
  {
    kind: Type.Optional(Type.String({ description: 'only of this kind' })),
    status: Type.Optional(
      Type.Union(
        statuses.map((status) => Type.Literal(status)),
        { description: `one of ${statuses.join(', ')}` }
      )
    ),
    provider: Type.Optional(Type.String({ description: 'only of this provider' })),
    phoneNumber: Type.Optional(Type.String({ description: 'only of this number' })),
    since: Type.Optional(
      DateTimeText('only those made then or later, on the clock of the account')
    ),
    after: Type.Optional(NumberText('go on after this page: the `next` of the one before')),
    limit: Type.Optional(PageLimit)
  },
  closed
)

const Push = Type.Object(
  {
    to: Type.Union(
      statuses.map((status) => Type.Literal(status)),
      { description: `one of ${statuses.join(', ')}` }
    ),
    failureCode: Type.Optional(
      Type.Union(
        Object.keys(failures).map((code) => Type.Literal(code)),
        { description: `one of ${Object.keys(failures).join(', ')}` }
      )
    )
  },
  { ...closed, description: '{ to, failureCode }', examples: [{ to: 'PROCESSING' }] }
)

const Page = Type.Object(
  {
    payments: Type.Array(PaymentSummary),
    next: Type.Optional(
      Type.Integer({ description: 'there may be more: ask again with after set to this' })
    )
  },
  closed
)

export const MoveFailure = adminFailure({
  legalMoves: Type.Array(wordOf(...statuses), { description: 'where it can go from where it is' }),
  seen: Type.Object(PaymentView.properties, { ...closed, description: 'the payment as it is' })
})

/**
 * Payments as the tester sees them: what was chosen for each, why, and what has happened to it so
 * far.
 */
export function adminPaymentRoutes (
  app: FastifyInstance,
  paymentInspector: PaymentInspector,
  payments: Payments,
  wires: readonly Wire[]
): void {
  app.get(
    '/payments',
    {
      config: adminCall('listPayments', 'The payments of this account, oldest first'),
      schema: { querystring: Filter, response: { 200: Page } }
    },
    async (request) => {
      const { kind, since, after, limit, ...filter } = request.query as Static<typeof Filter>
      const most = readLimit(limit)
      const found = await paymentInspector.list(request.account, {
        ...filter,
        ...(kind !== undefined && { kind: findKind(kind) }),
        ...(since !== undefined && { since: Date.parse(since) }),
        ...(after !== undefined && { after: Number(after) }),
        limit: most
      })
      return {
        payments: found.map(summarisePayment),
        ...(found.length === most && { next: found.at(-1)?.payment.seq })
      }
    }
  )

  app.get(
    '/payments/:kind/:id',
    {
      config: adminCall(
        'getPayment',
        'A payment with its history, money and callbacks, and the scenario that was chosen for it'
      ),
      schema: { params: Path, response: { 200: PaymentView } }
    },
    async (request) => {
      const { kind: name, id } = request.params as Static<typeof Path>
      const kind = findKind(name)
      const record = await paymentInspector.find(request.account, kind, id)
      if (record === undefined) throw paymentNotFound(kind, id)
      return showPayment(record, wires)
    }
  )

  app.post(
    '/payments/:kind/:id/move',
    {
      config: adminCall(
        'movePayment',
        'Put a payment into another state, now',
        'Its money and its callback go with it, as ever. There it stays until it is moved ' +
          'again: the rest of its scenario no longer counts.'
      ),
      schema: { params: Path, body: Push, response: { 200: PaymentView, 409: MoveFailure } }
    },
    async (request) => {
      const { kind: name, id } = request.params as Static<typeof Path>
      const kind = findKind(name)
      const { to, failureCode } = request.body as { to: Status; failureCode?: FailureCode }
      if (failureCode !== undefined && to !== 'FAILED') {
        throw new AdminError(
          'BAD_REQUEST',
          `only FAILED has a failureCode, this goes to ${to}`,
          'leave failureCode out'
        )
      }
      if (failureCode !== undefined && !failuresOf(kind.name).includes(failureCode)) {
        throw new AdminError(
          'BAD_REQUEST',
          `failureCode '${failureCode}' is not a failure of a ${kind.name}`,
          `use ${failuresOf(kind.name).join(', ')}`
        )
      }
      const refusal = await payments.move(request.account, kind, id, {
        to,
        cause: 'moved by the tester',
        ...(failureCode !== undefined && { failureCode })
      })
      if (refusal?.code === 'NOT_FOUND') throw paymentNotFound(kind, id)
      const record = await paymentInspector.find(request.account, kind, id)
      if (record === undefined) throw paymentNotFound(kind, id)
      const seen = showPayment(record, wires)
      if (refusal === undefined) return seen
      const { message, legalMoves = [] } = refusal
      throw new AdminError(
        'CONFLICT',
        message,
        legalMoves.length > 0 ? `use "to": "${legalMoves[0]}"` : moveFailure(record, kind),
        { legalMoves, seen }
      )
    }
  )
}

function moveFailure ({ view: { state } }: PaymentRecord, { name, money }: Kind): string {
  if (isFinal(state.to)) return `${state.to} is an end; make another ${name}`
  return money === 'none'
    ? `a ${name} follows its parts: move those`
    : 'it follows the payment that it is a part of'
}
