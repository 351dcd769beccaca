import { once } from 'node:events'
import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import t from 'tap'
import Fastify from 'fastify'
import { EventStreams } from '../../routes/http/sse.ts'
import type { Account } from '../../src/domain/account.ts'
import { runningClock } from '../../src/lib/clock.ts'
import { ChangeListeners } from '../../src/monitoring/change-listeners.ts'
import { until } from '../support/helper.ts'

/** More than the buffers of the operating system between a server and its client. */
const manyStates = 20
const text = 'x'.repeat(1024 * 1024)
/** The limit of a stream, and the state that passes it. */
const mostKept = 3 * 1024 * 1024

t.test('a page whose reader stops keeps little, and goes on with the last state', async (t) => {
  const changes = new ChangeListeners()
  const streams = new EventStreams(changes, { now: () => Date.now() })
  const account = { id: 1, clock: runningClock() } as Account
  let state = 0
  let written = 0
  let response: ServerResponse | undefined
  const http = Fastify()
  http.get('/events', async (_request, reply) => {
    response = reply.raw
    const look = async () => {
      written = state
      return { account, body: { state, text }, topics: [{ any: true as const }], final: false }
    }
    return await streams.send(reply, look, { paceMs: 0 })
  })
  t.teardown(() => {
    streams.close()
    return http.close()
  })
  const url = await http.listen({ port: 0, host: '127.0.0.1' })
  const [incoming] = (await once(request(`${url}/events`).end(), 'response')) as [IncomingMessage]
  let mostUnread = 0
  for (state = 1; state <= manyStates; state++) {
    changes.notify(account.id)
    let looks = 0
    // A state that is left out is not waited for.
    await until(async () => written === state || ++looks > 3, Boolean)
    mostUnread = Math.max(mostUnread, response!.writableLength)
  }
  t.ok(mostUnread < mostKept, `${mostUnread} bytes are kept`)
  t.ok(written < manyStates, `state ${written} is the last one that was written`)
  let received = ''
  incoming.setEncoding('latin1').on('data', (chunk: string) => {
    received = (received + chunk).slice(-2 * text.length)
  })
  const last = `"state":${state}`
  t.ok(await until(async () => received.includes(last), Boolean), 'the last state arrives')
})
