import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { Account } from '../../src/domain/account.ts'
import { Duration, parseDuration } from '../../src/lib/duration.ts'
import { closed, DateTime, wordOf } from '../../src/wire/fields.ts'
import { InterruptedTurn } from '../../simulator/account-turns.ts'
import { longestAdvanceMs, type ClockControl } from '../../simulator/clock-control.ts'
import { adminCall, AdminError } from './guard.ts'

const ClockRequest = Type.Object(
  {
    mode: Type.Union([Type.Literal('running'), Type.Literal('frozen')], {
      description: "'running' or 'frozen'"
    }),
    now: Type.Optional(DateTime),
    speed: Type.Optional(
      Type.Number({
        exclusiveMinimum: 0,
        maximum: 100_000,
        description: 'a number above 0, at most 100000'
      })
    )
  },
  {
    ...closed,
    description: '{ mode, now, speed }',
    examples: [{ mode: 'frozen', now: '2026-01-01T00:00:00Z' }]
  }
)

const AdvanceRequest = Type.Object(
  {
    by: Type.Optional(Duration),
    to: Type.Optional(DateTime),
    until: Type.Optional(Type.Literal('idle', { description: "'idle'" }))
  },
  {
    ...closed,
    minProperties: 1,
    maxProperties: 1,
    description: "one of { by: '15m' }, { to: '2026-01-01T00:00:00Z' } and { until: 'idle' }",
    examples: [{ by: '15m' }]
  }
)

export const ClockAnswer = Type.Object(
  { mode: wordOf('running', 'frozen'), now: DateTime, speed: Type.Number() },
  closed
)

export const AdvanceAnswer = Type.Object(
  {
    ...ClockAnswer.properties,
    transitions: Type.Integer({
      minimum: 0,
      description: 'how often a payment went from one state to another'
    }),
    callbacks: Type.Integer({
      minimum: 0,
      description: 'how many attempts were made at delivering callbacks'
    }),
    expirations: Type.Integer({ minimum: 0, description: 'how many checkouts and links ran out' }),
    expiredCheckouts: Type.Integer({ minimum: 0, description: 'how many of them were checkouts' }),
    expiredLinks: Type.Integer({
      minimum: 0,
      description: 'and how many links to payment pages that nobody had paid by'
    })
  },
  closed
)

/** The clock of an account, which the tester owns. */
export function clockRoutes (app: FastifyInstance, clockControl: ClockControl): void {
  const show = (account: Account) => ({
    mode: account.clock.mode,
    now: new Date(clockControl.now(account)).toISOString(),
    speed: account.clock.speed
  })

  app.get(
    '/clock',
    {
      config: adminCall('getClock', 'What the clock of this account shows'),
      schema: { response: { 200: ClockAnswer } }
    },
    async ({ account }) => show(account)
  )

  app.put(
    '/clock',
    {
      config: adminCall(
        'setClock',
        'Set the clock of this account, let it run, faster or slower, or freeze it'
      ),
      schema: { body: ClockRequest, response: { 200: ClockAnswer } }
    },
    async (request) => {
      const { mode, now, speed } = request.body as Static<typeof ClockRequest>
      await clockControl.setClock(request.account, {
        mode,
        ...(now !== undefined && { now: Date.parse(now) }),
        ...(speed !== undefined && { speed })
      })
      return show(request.account)
    }
  )

  app.post(
    '/clock/advance',
    {
      config: adminCall(
        'advanceClock',
        'Move the clock of this account on',
        'Answers when everything that fell due has happened, in due order: payments moved, ' +
          'callbacks attempted with their retries, checkouts and links expired.'
      ),
      schema: { body: AdvanceRequest, response: { 200: AdvanceAnswer } }
    },
    async (request) => {
      const { by, to } = request.body as Static<typeof AdvanceRequest>
      const target = (now: number): number | 'idle' => {
        if (by === undefined && to === undefined) return 'idle'
        const time =
          by !== undefined ? now + (parseDuration(by) as number) : Date.parse(to as string)
        if (time < now) {
          throw new AdminError(
            'BAD_REQUEST',
            `to is before the clock, which shows ${new Date(now).toISOString()}`,
            'PUT /__admin/clock sets it back'
          )
        }
        if (time - now > longestAdvanceMs) {
          throw new AdminError(
            'BAD_REQUEST',
            'a clock is advanced by at most 366 days at once',
            'advance it several times, or set it with PUT /__admin/clock'
          )
        }
        return time
      }
      const counts = await clockControl
        .advanceClock(request.account, target)
        .catch(explainInterruption)
      return {
        ...show(request.account),
        ...counts,
        expiredLinks: counts.expirations - counts.expiredCheckouts
      }
    }
  )
}

/** Explains to the caller of an advance that another call has ended it. */
function explainInterruption (error: unknown): never {
  if (!(error instanceof InterruptedTurn)) throw error
  throw new AdminError(
    'CONFLICT',
    `the advance was interrupted by ${error.by} while it waited for a receiver of callbacks; the ` +
      'clock stays at the time it had reached',
    'check that the receiver answers, then advance again'
  )
}
