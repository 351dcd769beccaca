import { once } from 'node:events'
import { request, type ClientRequest } from 'node:http'
import t from 'tap'
import { PeerListener } from '../../src/peers/peer-listener.ts'
import { until } from '../support/helper.ts'
import { waitFor } from '../support/waits.ts'

/** Listener for the other servers. */

const secret = 'secret of the servers'

/** Begins a call, as another server does. */
function call (url: string, path: string): ClientRequest {
  const headers = { authorization: `Bearer ${secret}` }
  return request(url + path, { method: 'POST', headers }).end('{}')
}

t.test('a feed ends if the other server leaves while it begins', async (t) => {
  const listener = new PeerListener(secret)
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
