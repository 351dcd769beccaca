import type { Static } from '@sinclair/typebox'
import {
  AdvanceAnswer,
  AdvanceRequest,
  ClockAnswer,
  ClockRequest
} from '../../src/admin-api/clock.ts'
import type { Account } from '../../src/domain/account.ts'
import { latestTime, originalClock } from '../../src/lib/clock.ts'
import { parseDuration } from '../../src/lib/duration.ts'
import { InterruptedTurn } from '../../simulator/account-turns.ts'
import { longestAdvanceMs, type AdvanceGoal } from '../../simulator/advance.ts'
import type { ClockControl } from '../../simulator/clock-control.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Calls about the clock of an account: show, set and advance it. */
export function clockRoutes (app: TypedApp, { clockControl }: AdminParts): void {
  app.get(
    '/clock',
    {
      config: adminCall('getClock', 'Show the clock of this account'),
      schema: { response: { 200: ClockAnswer } }
    },
    async ({ account }) => showClock(clockControl, account)
  )

  app.put(
    '/clock',
    {
      config: adminCall('setClock', 'Set, start, freeze, speed up or slow down this clock'),
      schema: { body: ClockRequest, response: { 200: ClockAnswer } }
    },
    async ({ account, body: { mode, now, speed } }) => {
      await clockControl.setClock(account, {
        mode,
        ...(now !== undefined && { now: Date.parse(now) }),
        ...(speed !== undefined && { speed })
      })
      return showClock(clockControl, account)
    }
  )

  app.post(
    '/clock/advance',
    {
      config: {
        ...adminCall(
          'advanceClock',
          'Advance the clock of this account',
          'Answers after everything that became due has happened, in due order: state changes of ' +
            'payments, callback attempts with their retries, expired checkouts and links. ' +
            "`until: 'next'` stops at the next due time. On a running clock, steps that only " +
            'change a status have no due time of their own. While ' +
            'it waits for receivers of callbacks, a reset, `PUT /__admin/clock`, a snapshot, a ' +
            'restore and the deletion of the account interrupt it: it then answers 409, and ' +
            '`error.message` names the call that interrupted it.'
        ),
        errors: [409]
      },
      schema: { body: AdvanceRequest, response: { 200: AdvanceAnswer } }
    },
    async ({ account, body }) => {
      const counts = await clockControl
        .advanceClock(account, (now) => targetOf(body, now))
        .catch(explainInterruption)
      return {
        ...showClock(clockControl, account),
        ...counts,
        expiredLinks: counts.expirations - counts.expiredCheckouts
      }
    }
  )
}

export function showClock (
  clockControl: ClockControl,
  account: Account
): Static<typeof ClockAnswer> {
  const { mode, speed } = originalClock(account.clock)
  return { mode, now: new Date(clockControl.now(account)).toISOString(), speed }
}

function targetOf ({ by, to, until }: Static<typeof AdvanceRequest>, now: number): AdvanceGoal {
  if (until !== undefined) return until
  const target = by === undefined ? Date.parse(String(to)) : now + Number(parseDuration(by))
  if (target < now) {
    throw new AdminError(
      'BAD_REQUEST',
      `to is before the time of the clock, ${new Date(now).toISOString()}`,
      'PUT /__admin/clock sets the clock back'
    )
  }
  if (target > latestTime) {
    throw new AdminError(
      'BAD_REQUEST',
      'a clock cannot be advanced beyond the year 9999',
      'PUT /__admin/clock sets the clock back'
    )
  }
  if (target - now > longestAdvanceMs) {
    throw new AdminError(
      'BAD_REQUEST',
      'a clock can be advanced by at most 366 days at once',
      'advance it several times, or set it with PUT /__admin/clock'
    )
  }
  return target
}

/** Explains to the caller of an advance that another call has ended it. */
function explainInterruption (error: unknown): never {
  if (!(error instanceof InterruptedTurn)) throw error
  throw new AdminError(
    'CONFLICT',
    `the advance was interrupted by ${error.by} before all callbacks were answered; the clock ` +
      'stays at the time it had reached',
    'check that the receiver answers, then advance again'
  )
}
