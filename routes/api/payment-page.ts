import { kinds } from '../../src/domain/kinds.ts'
import { isRefusal } from '../../src/domain/refusal.ts'
import type { PaymentPage } from '../../src/services/payment-page.ts'
import { PageAnswer } from '../../src/wire/payment-page.ts'
import { apiRoute, errorIds, type ApiScope } from '../http/api-route.ts'
import { readScenarioHeader } from '../http/api-route.ts'

/** Adds the route that opens a payment page. It answers 201, which real clients insist on. */
export function sessionRoute (api: ApiScope, pages: PaymentPage): void {
  const { wire, ids } = api
  const kind = kinds.deposit
  apiRoute(api, {
    method: 'POST',
    url: wire.page.path,
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
    },
    handler: async (request) => {
      const terms = wire.page.read(request.body)
      const opened = await pages.openSession(
        request.caller.account,
        wire.version,
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
  })
}
