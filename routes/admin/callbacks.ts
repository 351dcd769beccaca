import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { PaymentInspector } from '../../src/services/payment-inspector.ts'
import { closed } from '../../src/wire/fields.ts'
import { adminCall, AdminError } from './guard.ts'
import { PageLimit, readLimit, NumberText } from './paging.ts'
import { CallbackView, findKind, PaymentId, showCallback } from './views.ts'

const states = ['PENDING', 'ACKNOWLEDGED', 'EXHAUSTED'] as const

const Filter = Type.Object(
  {
    state: Type.Optional(
      Type.Union(
        states.map((state) => Type.Literal(state)),
        { description: `one of ${states.join(', ')}` }
      )
    ),
    kind: Type.Optional(Type.String({ description: 'only of payments of this kind' })),
    paymentId: Type.Optional(
      Type.String({
        pattern: '^[0-9a-fA-F-]{36}$',
        examples: PaymentId.examples as string[],
        description: 'a UUID: only of this payment'
      })
    ),
    url: Type.Optional(Type.String({ description: 'only to this URL' })),
    order: Type.Optional(
      Type.Union([Type.Literal('oldest'), Type.Literal('newest')], {
        description: "'oldest' or 'newest': which come first; oldest when left out"
      })
    ),
    after: Type.Optional(NumberText('go on after this page: the `next` of the one before')),
    limit: Type.Optional(PageLimit)
  },
  closed
)

const Page = Type.Object(
  {
    callbacks: Type.Array(CallbackView),
    next: Type.Optional(
      Type.Integer({ description: 'there may be more: ask again with after set to this' })
    )
  },
  closed
)

/**
 * The callbacks of an account: where each stands, every attempt, and once more for those that want
 * it.
 */
export function callbackRoutes (app: FastifyInstance, paymentInspector: PaymentInspector): void {
  app.get(
    '/callbacks',
    {
      config: adminCall(
        'listCallbacks',
        'The callbacks of this account with every attempt, oldest or newest first'
      ),
      schema: { querystring: Filter, response: { 200: Page } }
    },
    async (request) => {
      const { kind, paymentId, order, after, limit, ...filter } = request.query as Static<
        typeof Filter
      >
      const most = readLimit(limit)
      const found = await paymentInspector.callbacks(request.account, {
        ...filter,
        ...(kind !== undefined && { kind: findKind(kind) }),
        ...(paymentId !== undefined && { payment: paymentId }),
        ...(after !== undefined && { after: Number(after) }),
        newest: order === 'newest',
        limit: most
      })
      return {
        callbacks: found.map(showCallback),
        ...(found.length === most && { next: found.at(-1)?.seq })
      }
    }
  )

  app.post(
    '/callbacks/:id/resend',
    {
      config: adminCall(
        'resendCallback',
        'Send a callback once more',
        'As a new one, to the same URL with the same body, signed anew and with nothing ' +
          'wrong with it, whatever a scenario made of the first.'
      ),
      schema: {
        params: Type.Object({ id: NumberText('that of the callback') }),
        response: { 202: CallbackView }
      }
    },
    async (request, reply) => {
      const { id } = request.params as { id: string }
      const again = await paymentInspector.resend(request.account, Number(id))
      if (again === undefined) {
        throw new AdminError(
          'NOT_FOUND',
          `there is no callback ${id} on this account`,
          'GET /__admin/callbacks lists them'
        )
      }
      const [callback] = await paymentInspector.callbacks(request.account, {
        after: again - 1,
        limit: 1
      })
      return reply.code(202).send(showCallback(callback))
    }
  )
}
