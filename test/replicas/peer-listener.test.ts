import { once } from 'node:events'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import { PeerListener } from '../../src/peers/peer-listener.ts'
import { makeServerToken } from '../../src/security/server-token.ts'
import { until } from '../support/helper.ts'
import { waitFor } from '../support/waits.ts'

/** Listener for the other servers. */

const identity = { number: 7, secret: 'secret of the servers' }

/** Begins a call, as another server does. */
function call (url: string, path: string): ClientRequest {
  const purpose = { server: identity.number, method: 'POST', path }
  const token = makeServerToken(identity.secret, purpose, '{}', Date.now())
  const headers = { authorization: `Bearer ${token}` }
  return request(url + path, { method: 'POST', headers }).end('{}')
}

t.test('a feed ends if the other server leaves while it begins', async (t) => {
  const listener = new PeerListener(identity)
  const begun = Promise.withResolvers<void>()
  const ready = Promise.withResolvers<void>()
  let ends = 0
  listener.offer({
    answer: async () => 'here',
    follow: async () => {
      begun.resolve()
      await ready.promise
      return () => {
        ends++
      }
    }
  })
  const url = await listener.listen({ host: '127.0.0.1' })
  t.teardown(() => listener.close())
  const feed = call(url, '/feed/events')
  const left = new Promise((resolve) => feed.on('error', resolve))
  await waitFor('the feed', begun.promise)
  feed.destroy()
  await left
  // A later call is answered when the listener knows that the connection has ended.
  const [answer] = await once(call(url, '/call/greet'), 'response')
  answer.resume()
  ready.resolve()
  t.equal(
    await until(
      async () => ends,
      (count) => count > 0
    ),
    1
  )
})

/** Begins a feed whose lines are sent by the test. */
async function beginFeed (t: Test): Promise<{
  listener: PeerListener
  feed: IncomingMessage
  send: (line: object) => void
}> {
  const listener = new PeerListener(identity)
  const begun = Promise.withResolvers<(line: object) => void>()
  listener.offer({
    answer: async () => 'here',
    follow: async (_feed, send) => {
      begun.resolve(send)
      return () => {}
    }
  })
  const url = await listener.listen({ host: '127.0.0.1' })
  t.teardown(() => listener.close())
  const [feed] = await once(call(url, '/feed/events'), 'response')
  t.teardown(() => feed.destroy())
  return { listener, feed, send: await begun.promise }
}

/** Lines that together are more than a connection takes ahead of its reader, and may be unread. */
const longLines = Array.from({ length: 14 }, (_, n) => ({ n, text: 'x'.repeat(1024 * 1024) }))

t.test('a feed has its last lines before the listener closes', async (t) => {
  const { listener, feed, send } = await beginFeed(t)
  for (const line of longLines) send(line)
  const closed = listener.close()
  let text = ''
  for await (const chunk of feed) text += chunk
  await closed
  t.ok(feed.complete, 'it is not cut')
  t.strictSame(
    text.trim().split('\n').map((line) => JSON.parse(line).n),
    longLines.map(({ n }) => n)
  )
})

t.test('a server that does not read its feed does not keep a listener open', async (t) => {
  const { listener, feed, send } = await beginFeed(t)
  const cut = new Promise((resolve) => feed.on('error', resolve))
  for (const line of longLines) send(line)
  await waitFor('the end of the listener', listener.close(), () => '', 10_000)
  feed.resume()
  t.match(await cut, { code: 'ECONNRESET' })
})
