import { once } from 'node:events'
import { get } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { createMomock, type Momock } from '../../src/index.ts'
import { until } from '../support/helper.ts'
import { deposit } from '../support/process.ts'

/**
 * `node test/client/leftovers.ts MERCHANT HANGING [SITUATION…]`: closes a mock in each situation,
 * and prints what is left over. The process must then end by itself.
 */

const [merchantUrl, hangingUrl, ...chosen] = process.argv.slice(2)

/** Activity while the mock is closed, and the target of its callbacks. */
const situations: Record<
  string,
  { callbackUrl?: string; begin: (mock: Momock) => Promise<unknown> }
> = {
  'nothing at all': { begin: async () => {} },
  'callbacks were delivered over a connection that the merchant keeps': {
    callbackUrl: merchantUrl,
    begin: async (mock) => {
      const { depositId } = await initiate(mock)
      await mock.wait('deposit', depositId, 'acknowledged')
    }
  },
  'a callback is on its way to a merchant who says nothing': {
    callbackUrl: hangingUrl,
    begin: async (mock) => {
      const { depositId } = await initiate(mock)
      await mock.wait('deposit', depositId)
    }
  },
  'a callback waits to be tried again': {
    callbackUrl: 'http://127.0.0.1:1/',
    begin: async (mock) => {
      const { depositId } = await initiate(mock)
      await mock.wait('deposit', depositId)
    }
  },
  'somebody waits for a payment': {
    begin: async (mock) => {
      await mock.scenario({
        script: [
          { after: '1h', to: 'PROCESSING' },
          { after: '1s', to: 'COMPLETED' }
        ]
      })
      const { depositId } = await initiate(mock)
      abandon(mock.wait('deposit', depositId, { timeout: '5m' }))
      await mock.clock()
    }
  },
  'somebody follows a page': {
    begin: async (mock) => {
      const response = await post(mock, '/v2/paymentpage', {
        depositId: deposit().depositId,
        returnUrl: 'http://127.0.0.1/'
      })
      const { redirectUrl } = (await response.json()) as { redirectUrl: string }
      const [stream] = await once(get(`${redirectUrl}/events`), 'response')
      await once(stream, 'data')
    }
  },
  'an answer is late': {
    begin: async (mock) => {
      await mock.scenario({
        latency: '1m',
        script: [
          { after: '1s', to: 'PROCESSING' },
          { after: '1s', to: 'COMPLETED' }
        ]
      })
      abandon(initiate(mock))
      await until(
        () => mock.payments(),
        ({ length }) => length === 1
      )
    }
  },
  'an answer trickles': {
    begin: async (mock) => {
      await mock.scenario({
        fault: 'slow',
        script: [
          { after: '1s', to: 'PROCESSING' },
          { after: '1s', to: 'COMPLETED' }
        ]
      })
      abandon(initiate(mock))
      await until(
        () => mock.payments(),
        ({ length }) => length === 1
      )
    }
  },
  'a sink takes its time': {
    begin: async (mock) => {
      await mock.orderSink('shop', { then: { delay: '1m' } })
      abandon(post(mock, '/__admin/sink/shop', {}))
      await until(
        () => mock.sink('shop'),
        ({ received }) => received === 1
      )
    }
  }
}

async function post ({ url, token }: Momock, path: string, body: object): Promise<Response> {
  return await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body)
  })
}

async function initiate (mock: Momock): Promise<{ depositId: string }> {
  return (await (await post(mock, '/v2/deposits', deposit())).json()) as { depositId: string }
}

/** The result of the promise is not needed. */
function abandon (work: Promise<unknown>): void {
  work.catch(() => {})
}

/** Sandbox accounts are opened by their first use. */
const [output] = [process.stdout, process.stderr]
const before = process.getActiveResourcesInfo()
const mocks: Momock[] = []
for (const name of chosen.length === 0 ? Object.keys(situations) : chosen) {
  const { callbackUrl, begin } = situations[name]
  const mock = await createMomock({ ...(callbackUrl !== undefined && { callbackUrl }) })
  mocks.push(mock)
  await begin(mock)
}
await Promise.all(mocks.map((mock) => mock.close()))
// The other ends of the connections are closed in the next turns.
for (let turn = 0; turn < 100; turn++) await setImmediate()
const left = process.getActiveResourcesInfo()
for (const resource of before) if (left.includes(resource)) left.splice(left.indexOf(resource), 1)
output.write(`${JSON.stringify({ closed: mocks.length, left })}\n`)
