import { createEmptyAnswer, readLimit } from '../../src/admin-api/fields.ts'
import { SetAsidePage, SetAsidePath, SetAsideQuery } from '../../src/admin-api/set-aside.ts'
import type { SetAsidePayment } from '../../src/ports/ledger.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Calls about payments that were set aside because of an error: list them, try one again. */
export function setAsideRoutes (app: TypedApp, { setAside, clockControl }: AdminParts): void {
  app.get(
    '/set-aside',
    {
      config: adminCall(
        'listSetAside',
        'List the payments of this account that could not be moved because of an error',
        'Such a payment is a bug of the mock, or the ledger file was changed by hand. It keeps ' +
          'its status, and the other payments go on.'
      ),
      schema: { querystring: SetAsideQuery, response: { 200: SetAsidePage } }
    },
    async ({ account, query: { after = '0', limit } }) => {
      const pageSize = readLimit(limit)
      const payments = await setAside.listSetAside(account.id, Number(after), pageSize)
      return {
        payments: payments.map(showSetAside),
        ...(payments.length === pageSize && { next: payments.at(-1)?.seq })
      }
    }
  )

  app.post(
    '/set-aside/:number/retry',
    {
      config: {
        ...adminCall('retrySetAside', 'Try again to move a payment that was set aside'),
        errors: [404]
      },
      schema: {
        params: SetAsidePath,
        response: { 204: createEmptyAnswer('The payment is due now.') }
      }
    },
    async ({ account, params: { number } }, reply) => {
      const isDue = await setAside.retrySetAside(
        account.id,
        Number(number),
        clockControl.now(account)
      )
      if (!isDue) {
        throw new AdminError(
          'NOT_FOUND',
          `no payment with the number ${number} was set aside on this account`,
          'GET /__admin/set-aside lists them'
        )
      }
      return reply.code(204).send()
    }
  )
}

function showSetAside ({ seq, kind, id, at, error }: SetAsidePayment) {
  return {
    number: seq,
    ...(kind !== undefined && { kind: kind.name }),
    id,
    at: new Date(at).toISOString(),
    error
  }
}
