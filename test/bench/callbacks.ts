import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { postDeposits } from './load.ts'
import { momockServer, serve } from './processes.ts'
import { median } from './report.ts'

/**
 * Callbacks to a receiver in this process, each of them signed: how many arrive in a second, and
 * how long after the payment was final.
 */

/** The rate of initiations at which the lag is measured. */
const pace = 1000

interface Receiver {
  url: string
  /** When each deposit was heard of, in milliseconds. */
  heard: Map<string, number>
  signed: number
  close: () => void
}

/**
 * The lines that say what callbacks come to: `burst` deposits as fast as they go, then a steady
 * load for some seconds.
 */
export async function measureCallbacks (
  db: string,
  burst: number,
  seconds: number
): Promise<string> {
  const receiver = await receive()
  const momock = await serve([...momockServer(0, db, 'running'), '--callback-url', receiver.url])
  try {
    const { ids } = await postDeposits(momock, burst)
    await heardOf(receiver, ids)
    const times = ids.map((id) => receiver.heard.get(id) as number)
    const rate = ((burst - 1) / Math.max(Math.max(...times) - Math.min(...times), 1)) * 1000

    const paced = await postDeposits(momock, pace * seconds, pace)
    await heardOf(receiver, paced.ids)
    const lags = await lagsOf(momock.url, receiver, burst, paced.ids.length)
    const sorted = lags.toSorted((a, b) => a - b)
    const signed =
      receiver.signed === receiver.heard.size
        ? 'all signed'
        : `${receiver.signed} of ${receiver.heard.size} signed`
    return (
      `callbacks: ${rate.toFixed(0)} per second, ${signed}\n` +
      `callbacks at ${pace} initiations per second: ${median(sorted).toFixed(0)} ms from ` +
      `final to delivered, ${sorted[Math.floor(sorted.length * 0.99)].toFixed(0)} ms for the ` +
      'slowest in a hundred\n'
    )
  } finally {
    await momock.stop()
    receiver.close()
  }
}

async function receive (): Promise<Receiver> {
  const receiver: Receiver = {
    url: '',
    heard: new Map(),
    signed: 0,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    response.end()
    const [, id] = /"depositId":"([^"]+)"/.exec(text) ?? []
    if (id === undefined || receiver.heard.has(id)) return
    receiver.heard.set(id, Date.now())
    if (request.headers.signature !== undefined) receiver.signed++
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`
  return receiver
}

async function heardOf ({ heard }: Receiver, ids: string[]): Promise<void> {
  for (const end = Date.now() + 60_000; !ids.every((id) => heard.has(id)); await sleep(20)) {
    if (Date.now() > end) {
      throw new Error(
        `of ${ids.length} callbacks ${ids.filter((id) => !heard.has(id)).length} did not ` +
          'arrive within a minute'
      )
    }
  }
}

/** Time from the storage of each callback to its arrival. */
async function lagsOf (
  url: string,
  { heard }: Receiver,
  skip: number,
  count: number
): Promise<number[]> {
  const lags: number[] = []
  for (let after = skip; lags.length < count;) {
    const page = (await (
      await fetch(`${url}/__admin/callbacks?limit=1000&after=${after}`)
    ).json()) as { callbacks: Array<{ id: number; paymentId: string; created: string }> }
    if (page.callbacks.length === 0) break
    for (const { id, paymentId, created } of page.callbacks) {
      after = id
      lags.push((heard.get(paymentId) ?? NaN) - Date.parse(created))
    }
  }
  return lags.filter(Number.isFinite)
}
