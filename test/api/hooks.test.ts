import { Transform } from 'node:stream'
import type { FastifyInstance, RouteOptions } from 'fastify'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { build, type Client } from '../support/helper.ts'
import { readMetrics } from '../support/servers.ts'

/** Hooks and options of Fastify work on the routes of the API as its documentation says. */

const path = '/v2/deposits'
const deposit = (): Record<string, unknown> => requests.v2.deposit!()

type ChangeRoute = (route: RouteOptions) => void

/** Server whose route of deposits is changed when it is added, as a plugin would do it. */
async function buildChanged (
  t: Parameters<typeof build>[0],
  fastPath: boolean,
  change: ChangeRoute
): Promise<Client> {
  return await build(t, {}, undefined, {
    fastPath,
    extend: (http: FastifyInstance) => {
      http.addHook('onRoute', (route) => {
        if (route.method === 'POST' && route.url === path) change(route)
      })
    }
  })
}

/** Adds a hook behind those that a route has. */
function append<T> (hooks: T | T[] | undefined, hook: T): T[] {
  return [...(hooks === undefined ? [] : ([hooks].flat() as T[])), hook]
}

for (const fastPath of [true, false]) {
  const name = fastPath ? 'with the fast path' : 'without the fast path'

  t.test(`preParsing can replace the body, ${name}`, async (t) => {
    const replaced = deposit()
    const { call } = await buildChanged(t, fastPath, (route) => {
      route.preParsing = append(route.preParsing, async (_request, _reply, payload) => {
        let receivedEncodedLength = 0
        const stream = new Transform({
          transform: (chunk, _encoding, done) => {
            receivedEncodedLength += chunk.length
            done()
          },
          flush: (done) => done(null, JSON.stringify(replaced))
        })
        Object.defineProperty(stream, 'receivedEncodedLength', { get: () => receivedEncodedLength })
        return payload.pipe(stream)
      })
    })
    const sent = deposit()
    const { status, body } = await call('POST', path, sent)
    t.match({ status, body }, { status: 200, body: { depositId: replaced.depositId } })
    t.match((await call('GET', `${path}/${sent.depositId}`)).body, { status: 'NOT_FOUND' })
    t.match((await call('GET', `${path}/${replaced.depositId}`)).body, { status: /^FOUND$/ })
  })

  t.test(`a stream of preParsing that is too long is refused, ${name}`, async (t) => {
    const { call } = await buildChanged(t, fastPath, (route) => {
      route.preParsing = append(route.preParsing, async (_request, _reply, payload) => {
        const stream = new Transform({
          transform: (_chunk, _encoding, done) => done(null, Buffer.alloc(2 * 1024 * 1024, ' '))
        })
        return payload.pipe(stream)
      })
    })
    t.equal((await call('POST', path, deposit())).status, 413)
  })

  t.test(`bodyLimit of a route is honoured, ${name}`, async (t) => {
    const short = deposit()
    const limit = JSON.stringify(short).length
    const { call } = await buildChanged(t, fastPath, (route) => {
      route.bodyLimit = limit
    })
    t.match((await call('POST', path, short)).body, { status: 'ACCEPTED' }, 'as long as allowed')
    const long = JSON.stringify(deposit()) + ' '
    const { status, body } = await call('POST', path, long)
    t.equal(status, 413)
    t.match(body, { failureReason: { failureMessage: `the body is larger than ${limit} bytes` } })
    t.match((await call('POST', '/deposits', requests.v1.deposit!())).body, { status: 'ACCEPTED' })
  })

  t.test(`preSerialization can change the answer, ${name}`, async (t) => {
    const { call } = await buildChanged(t, fastPath, (route) => {
      route.preSerialization = append(
        route.preSerialization,
        async (_request, _reply, payload) => ({
          ...(payload as object),
          created: '2001-01-01T00:00:00Z'
        })
      )
    })
    t.match((await call('POST', path, deposit())).body, {
      status: 'ACCEPTED',
      created: '2001-01-01T00:00:00Z'
    })
  })

  t.test(`onSend sees the text and can change it, ${name}`, async (t) => {
    const seen: string[] = []
    const { call } = await buildChanged(t, fastPath, (route) => {
      route.onSend = append(route.onSend, async (_request, reply, payload) => {
        seen.push(String(payload))
        reply.header('x-seen', 'yes')
        return `${String(payload)}\n`
      })
    })
    const sent = deposit()
    const { headers, body } = await call('POST', path, sent)
    t.match(headers, {
      'x-seen': 'yes',
      'content-length': String(seen[0].length + 1),
      'content-type': 'application/json; charset=utf-8'
    })
    t.match(body, { depositId: sent.depositId, status: 'ACCEPTED' })
    t.strictSame(
      seen.map((text) => JSON.parse(text)),
      [body]
    )
    const { body: journal } = await call('GET', '/__admin/requests')
    t.match(
      journal.requests,
      [{ request: { path }, response: { status: 200 } }],
      'it is recorded as before'
    )
    t.match(await readMetrics(call), /route="\/v2\/deposits",status="200"} 1/, 'and counted')
  })
}
