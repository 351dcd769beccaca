import { EventQuery } from '../../src/admin-api/events.ts'
import { AdminErrorAnswer } from '../../src/admin-api/errors.ts'
import { Type } from '../../src/lib/typebox.ts'
import { followEvents } from '../../src/monitoring/follow-events.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

const Answer = {
  200: {
    description:
      'A stream of server-sent events: `accepted`, `status`, `callback` and `answer`, each with ' +
      'its data as JSON, and `missed` with the number of events that a slow reader has missed.',
    content: { 'text/event-stream': { schema: Type.String() } }
  },
  503: AdminErrorAnswer
}

/** Call that sends events while they happen. */
export function eventRoute (app: TypedApp, { eventStreams, openEvents }: AdminParts): void {
  app.get(
    '/events',
    {
      config: adminCall(
        'followEvents',
        'Follow the events: accepted payments, changes of status, callbacks and refused requests',
        'The stream begins with the next event. With the header `Last-Event-ID`, which browsers ' +
          'send when they connect again, it begins after that event: the server keeps its last ' +
          '1000 events while somebody follows them, and 10 seconds longer. Status checks are no ' +
          'events. A step that sends no callback, such as PROCESSING, is an event only on a ' +
          'frozen clock.'
      ),
      schema: { querystring: EventQuery, response: Answer }
    },
    async ({ account, headers, query: { accounts = 'own' } }, reply) => {
      const since = [headers['last-event-id']].flat()[0]
      const feed = await openEvents()
      return await eventStreams.sendFeed(reply, async (pass) =>
        followEvents(
          feed,
          since,
          ({ account: owner, event }, id) => {
            if (accounts === 'all' || owner === account.id) pass(event.type, event, id)
          },
          (count) => pass('missed', { count })
        )
      )
    }
  )
}
