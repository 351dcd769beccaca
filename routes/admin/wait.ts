import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import { statuses } from '../../src/domain/status.ts'
import { Duration, parseDuration } from '../../src/lib/duration.ts'
import type { PaymentWaiter } from '../../src/services/payment-waiter.ts'
import { closed } from '../../src/wire/fields.ts'
import type { Wire } from '../../src/wire/wire.ts'
import { adminCall, AdminError, adminFailure } from './guard.ts'
import {
  KindWord,
  findKind,
  paymentNotFound,
  PaymentId,
  PaymentView,
  showPayment
} from './views.ts'

const defaultTimeout = '10s'
const longestMs = 5 * 60_000
const goals = ['final', 'acknowledged', ...statuses] as const

const WaitRequest = Type.Object(
  {
    kind: KindWord,
    id: PaymentId,
    until: Type.Optional(
      Type.Union(
        goals.map((goal) => Type.Literal(goal)),
        { description: `one of ${goals.join(', ')}; final when left out`, examples: ['ACCEPTED'] }
      )
    ),
    timeout: Type.Optional(Duration)
  },
  { ...closed, description: '{ kind, id, until, timeout }' }
)

export const WaitFailure = adminFailure({
  seen: Type.Object(PaymentView.properties, {
    ...closed,
    description: 'the payment as it was seen last'
  })
})

/** Waiting for a payment, so that a test need not ask again and again. */
export function waitRoute (
  app: FastifyInstance,
  paymentWaiter: PaymentWaiter,
  wires: readonly Wire[]
): void {
  app.addHook('preClose', async () => paymentWaiter.close())
  app.post(
    '/wait',
    {
      config: adminCall(
        'wait',
        'Wait until a payment is final, its callbacks are acknowledged, or it is in a state',
        'Answers the moment it is true; 408 with what it saw when the time is up, or as soon ' +
          'as it can never be true; 409 at once when the clock of the account is frozen, since ' +
          'nothing would happen.'
      ),
      schema: {
        body: WaitRequest,
        response: { 200: PaymentView, 408: WaitFailure, 409: WaitFailure }
      }
    },
    async (request, reply) => {
      const {
        kind: name,
        id,
        until = 'final',
        timeout = defaultTimeout
      } = request.body as Static<typeof WaitRequest>
      const kind = findKind(name)
      const timeoutMs = parseDuration(timeout) as number
      if (timeoutMs > longestMs) {
        throw new AdminError(
          'BAD_REQUEST',
          `timeout is at most 5m, got '${timeout}'`,
          'such as "timeout": "5m"; ask again for longer'
        )
      }
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const outcome = await paymentWaiter.wait(
        request.account,
        kind,
        id,
        until,
        timeoutMs,
        gone.signal
      )
      if (outcome === undefined) throw paymentNotFound(kind, id)
      const { record, unmet } = outcome
      const seen = showPayment(record, wires)
      if (unmet === undefined) return seen
      if (unmet.because === 'frozen') {
        throw new AdminError(
          'CONFLICT',
          unmet.why,
          'move the clock with POST /__admin/clock/advance, then look at the payment',
          { seen }
        )
      }
      throw new AdminError(
        'TIMEOUT',
        unmet.because === 'late' ? `${unmet.why} after ${timeout}; waited for ${until}` : unmet.why,
        `GET /__admin/payments/${kind.name}/${id} shows all about it`,
        { seen }
      )
    }
  )
}
