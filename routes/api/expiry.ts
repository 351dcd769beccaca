import { answerWord, Type } from '../../src/lib/typebox.ts'
import type { Checkouts } from '../../src/services/checkouts.ts'
import { formatTimestamp } from '../../src/lib/clock.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import { statusesOf } from '../../src/domain/status.ts'
import { DateTime, PathIdentifier } from '../../src/wire/fields.ts'
import { apiRoute, errorIds, type ApiScope } from '../http/api-route.ts'
import { replyOk } from '../http/reply.ts'

const Expired = Type.Object({
  checkoutId: Type.String(),
  status: answerWord(...statusesOf(kinds.checkout)),
  expiredAt: DateTime,
  reason: Type.Optional(answerWord('MANUAL_EXPIRY')),
  expiredBy: Type.Optional(answerWord('API'))
})

/** Adds the route that ends a checkout before its time. */
export function expireRoute (api: ApiScope, checkouts: Checkouts): void {
  const { wire, ids } = api
  const kind = kinds.checkout
  if (wire.codecs.checkout?.actions.expire !== true) return
  apiRoute(api, {
    method: 'POST',
    url: `/${kind.path}/:${kind.idField}/expire`,
    config: {
      documentation: {
        id: 'expireCheckout',
        summary: 'End a checkout before its time',
        tag: 'checkouts'
      },
      operation: 'find',
      kind,
      permission: 'act'
    },
    schema: {
      params: Type.Object({ [kind.idField]: PathIdentifier }),
      response: {
        200: Expired,
        404: wire.answers.schemas.refusal({ operation: 'find', kind }, 200)
      }
    },
    handler: async (request) => {
      const id = request.params[kind.idField]
      const expiry = await checkouts.expire(request.caller.account, id)
      if (isRefusal(expiry)) {
        return {
          ...wire.answers.refused(expiry, { operation: 'find', kind, id }, errorIds(request, ids)),
          status: 404
        }
      }
      const {
        state: { to },
        expiredAt,
        manual
      } = expiry
      return replyOk({
        [kind.idField]: id,
        status: to,
        expiredAt: formatTimestamp(expiredAt),
        ...(manual && { reason: 'MANUAL_EXPIRY', expiredBy: 'API' })
      })
    }
  })
}
