import type { Static } from '@sinclair/typebox'
import {
  StatusCheckOrders,
  StatusCheckRequest,
  type StatusCheckAnswer
} from '../../src/admin-api/status-checks.ts'
import { parseDuration } from '../../src/lib/duration.ts'
import type { StatusCheckAnswer as PlannedAnswer } from '../../src/services/status-checks.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

const longestDelayMs = 60_000

/** Calls about the answers to the next status checks of an account. */
export function statusCheckRoutes (app: TypedApp, { statusChecks }: AdminParts): void {
  app.get(
    '/status-checks',
    {
      config: adminCall('showStatusChecks', 'Show the ordered answers to the next status checks'),
      schema: { response: { 200: StatusCheckOrders } }
    },
    async ({ account }) => statusChecks.showOrders(account.id)
  )

  app.put(
    '/status-checks',
    {
      config: adminCall(
        'orderStatusChecks',
        'Set the answers to the next status checks',
        'For GET /v2/deposits/{depositId} and the other kinds, in v1 and v2: not found, an ' +
          'error, no answer, a late answer, or other fields. The payments do not change. A ' +
          'reset of the callbacks removes these answers.'
      ),
      schema: { body: StatusCheckRequest, response: { 200: StatusCheckOrders } }
    },
    async ({ account, body: { answers = [], then = {} } }) => {
      const orders = { answers: answers.map(readAnswer), then: readAnswer(then) }
      statusChecks.setOrders(account.id, orders)
      return orders
    }
  )
}

function readAnswer ({ delay, ...answer }: Static<typeof StatusCheckAnswer>): PlannedAnswer {
  if (delay === undefined) return answer
  const delayMs = Number(parseDuration(delay))
  if (delayMs <= longestDelayMs) return { ...answer, delayMs }
  throw new AdminError(
    'BAD_REQUEST',
    `delay must be at most 60s, got '${delay}'`,
    'such as "delay": "60s"'
  )
}
