import {
  CallbackPage,
  CallbackPath,
  CallbackQuery,
  CallbackView
} from '../../src/admin-api/callbacks.ts'
import { readLimit } from '../../src/admin-api/fields.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { findKind, showCallback } from './views.ts'
import type { AdminParts } from './parts.ts'

/** Calls about the callbacks of an account: list them, and send one again. */
export function callbackRoutes (app: TypedApp, { paymentInspector }: AdminParts): void {
  app.get(
    '/callbacks',
    {
      config: {
        ...adminCall(
          'listCallbacks',
          'List the callbacks of this account with every attempt, oldest or newest first'
        ),
        errors: [404]
      },
      schema: { querystring: CallbackQuery, response: { 200: CallbackPage } }
    },
    async ({ account, query }) => {
      const { kind, paymentId, order, after, limit, ...filter } = query
      const pageSize = readLimit(limit)
      const callbacks = await paymentInspector.callbacks(account, {
        ...filter,
        ...(kind !== undefined && { kind: findKind(kind) }),
        ...(paymentId !== undefined && { payment: paymentId }),
        ...(after !== undefined && { after: Number(after) }),
        newest: order === 'newest',
        limit: pageSize
      })
      return {
        callbacks: callbacks.map(showCallback),
        ...(callbacks.length === pageSize && { next: callbacks.at(-1)?.seq })
      }
    }
  )

  app.post(
    '/callbacks/:id/resend',
    {
      config: {
        ...adminCall(
          'resendCallback',
          'Send a callback again',
          'Creates a new callback to the same URL with the same body and a new signature, and ' +
            'without the faults of a scenario. On a frozen clock it is sent when the clock is ' +
            'advanced.'
        ),
        errors: [404]
      },
      schema: { params: CallbackPath, response: { 202: CallbackView } }
    },
    async ({ account, params: { id } }, reply) => {
      const created = await paymentInspector.resend(account, Number(id))
      if (created === undefined) throw noCallback(id)
      const found = await paymentInspector.callbacks(account, { after: created - 1, limit: 1 })
      const callback = found.find(({ seq }) => seq === created)
      // The account was reset since.
      if (callback === undefined) throw noCallback(id)
      return reply.code(202).send(showCallback(callback))
    }
  )
}

function noCallback (id: string | number): AdminError {
  return new AdminError(
    'NOT_FOUND',
    `there is no callback ${id} on this account`,
    'GET /__admin/callbacks lists all callbacks'
  )
}
