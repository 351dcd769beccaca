import type { FastifyInstance } from 'fastify'
import { kinds } from '../../src/domain/kinds.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import type { Ids } from '../../src/lib/ids.ts'
import type { PaymentPage } from '../../src/services/payment-page.ts'
import { PageAnswer } from '../../src/wire/payment-page.ts'
import type { Wire } from '../../src/wire/wire.ts'
import type { ApiReply } from '../http/reply.ts'
import { errorIds } from './guard.ts'
import { readScenarioHeader } from './payments.ts'

/**
 * The merchant opens a session, in the words of a generation. Success is 201: real clients insist
 * on it.
 */
export function sessionRoute (app: FastifyInstance, wire: Wire, pages: PaymentPage, ids: Ids): void {
  const kind = kinds.deposit
  app.post(
    wire.page.path,
    {
      config: {
        documentation: {
          id: 'openPaymentPage',
          summary: 'Open a page on which a customer makes a deposit',
          tag: 'payment-page'
        },
        operation: 'initiate',
        kind,
        permission: 'initiate'
      },
      schema: {
        body: wire.page.request,
        response: { 200: wire.answers.schemas.initiation(kind), 201: PageAnswer }
      }
    },
    async (request): Promise<ApiReply> => {
      const terms = wire.page.read(request.body)
      const opened = await pages.openSession(
        request.caller.account,
        wire.generation,
        terms,
        readScenarioHeader(request)
      )
      if (!isRefusal(opened)) return { status: 201, body: opened }
      return wire.answers.initiated(
        kind,
        terms.depositId,
        { outcome: 'REFUSED', refusal: opened },
        errorIds(request, ids)
      )
    }
  )
}
