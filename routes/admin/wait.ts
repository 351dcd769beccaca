import { PaymentView } from '../../src/admin-api/payments.ts'
import { WaitError, WaitRequest } from '../../src/admin-api/wait.ts'
import { parseDuration } from '../../src/lib/duration.ts'
import { disconnectOf } from '../http/pause.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { findKind, paymentNotFound, showPayment } from './views.ts'
import type { AdminParts } from './parts.ts'

const defaultTimeout = '10s'
const longestTimeoutMs = 5 * 60_000

/** Call that waits for a payment, so that tests need no polling. */
export function waitRoute (app: TypedApp, { paymentWaiter, wires, links }: AdminParts): void {
  app.post(
    '/wait',
    {
      config: {
        ...adminCall(
          'wait',
          'Wait until a payment is final, has a status, or its callbacks are acknowledged',
          'Answers as soon as the goal is reached. Answers 408 with the payment when the time is ' +
            'up or the goal can no longer be reached: at once if `acknowledged` is asked for and ' +
            'no callback URL is set. Answers 409 at once if the clock of the ' +
            'account is frozen, because nothing would happen.'
        ),
        errors: [404]
      },
      schema: {
        body: WaitRequest,
        response: { 200: PaymentView, 408: WaitError, 409: WaitError }
      }
    },
    async ({ account, body }, reply) => {
      const { id, until = 'final', timeout = defaultTimeout } = body
      const kind = findKind(body.kind)
      const outcome = await paymentWaiter.wait(
        account,
        kind,
        id,
        until,
        readTimeout(timeout),
        disconnectOf(reply)
      )
      if (outcome === undefined) throw paymentNotFound(kind, id)
      const { record, unmet } = outcome
      const seen = showPayment(record, wires, account)
      if (unmet === undefined) return seen
      if (unmet.because === 'frozen') {
        throw new AdminError(
          'CONFLICT',
          unmet.why,
          'advance the clock with POST /__admin/clock/advance, then look at the payment',
          { seen }
        )
      }
      const hint =
        unmet.because === 'nowhere'
          ? 'set one for the next payments: --callback-url URL, or PATCH /__admin/account ' +
            `{ "callbacks": { "${kind.callback}": "${links.base}/__admin/sink/shop" } }`
          : `GET /__admin/payments/${kind.name}/${id} shows the payment`
      throw new AdminError(
        'TIMEOUT',
        unmet.because === 'late' ? `${unmet.why} after ${timeout}; waited for ${until}` : unmet.why,
        hint,
        { seen }
      )
    }
  )
}

/** Reads how long a call waits. */
export function readTimeout (timeout: string | number = defaultTimeout): number {
  const timeoutMs = Number(parseDuration(timeout))
  if (timeoutMs > longestTimeoutMs) {
    throw new AdminError(
      'BAD_REQUEST',
      `timeout must be at most 5m, got '${timeout}'`,
      'such as "timeout": "5m"; call again to wait longer'
    )
  }
  return timeoutMs
}
