import { once } from 'node:events'
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Test } from 'tap'
import { waitFor } from './waits.ts'

/** A network between a server and its database that a test can interrupt. */
export interface TcpProxy {
  port: number
  /** Counts the open connections. */
  count: () => number
  /** Counts all connections that were opened. */
  opened: () => number
  /** Delivers nothing, in both directions, until `resume`. New connections are accepted. */
  pause: () => void
  /** Delivers what was sent meanwhile, as TCP does. */
  resume: () => void
  /** Delivers nothing of the current connections any more, and tells neither side. */
  forget: () => void
  /**
   * Closes all connections now, and once more when a client sends a text, which is not delivered.
   * After the first time, statements are sent with their texts again. Resolves after the second.
   */
  cutAt: (text: string) => Promise<void>
  /** Pauses when a client sends a text, which is not delivered before `resume`. */
  pauseAt: (text: string) => Promise<void>
  /** Closes all connections, and refuses new ones until `listen`. */
  refuse: () => Promise<void>
  listen: () => Promise<void>
}

interface Pair {
  client: Socket
  target: Socket
}

/** Text of a client, and what happens instead of its delivery. */
interface AwaitedText {
  text: string
  act: (deliver: () => void) => void
}

/** Starts a proxy for a port of this machine. */
export async function startProxy (t: Test, targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let isPaused = false
  let opened = 0
  let awaited: AwaitedText | undefined
  /** Delivers what was kept because of its text. */
  let deliverKept = (): void => {}
  const endAll = (): void => {
    for (const pair of pairs) destroyPair(pair)
  }
  const pause = (): void => {
    isPaused = true
    for (const pair of pairs) pausePair(pair)
  }
  /** Waits for a text of a client, and does something instead of its delivery. */
  const waitForText = (text: string, act: AwaitedText['act']): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    awaited = {
      text,
      act: (deliver) => {
        act(deliver)
        resolve()
      }
    }
    return waitFor(`${text} on a connection`, promise)
  }
  const server = createServer((client) => {
    const target = createConnection(targetPort, '127.0.0.1')
    const pair = { client, target }
    pairs.add(pair)
    opened++
    for (const [from, to] of [
      [client, target],
      [target, client]
    ]) {
      from.on('error', () => {})
      from.on('data', (data) => {
        const deliver = (): void => {
          to.write(data)
        }
        if (awaited === undefined || from !== client || !data.includes(awaited.text)) {
          return deliver()
        }
        const { act } = awaited
        awaited = undefined
        act(deliver)
      })
      from.on('close', () => {
        pairs.delete(pair)
        to.destroy()
      })
    }
    if (isPaused) pausePair(pair)
  })
  const listen = async (port: number): Promise<number> => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return (server.address() as AddressInfo).port
  }
  const close = async (): Promise<void> => {
    const closed = once(server, 'close')
    server.close()
    for (const pair of forgotten) destroyPair(pair)
    endAll()
    await closed
  }
  const forgotten: Pair[] = []
  const port = await listen(0)
  t.teardown(async () => {
    if (server.listening) await close()
  })
  return {
    port,
    count: () => pairs.size,
    opened: () => opened,
    pause,
    resume: () => {
      isPaused = false
      deliverKept()
      deliverKept = () => {}
      for (const { client, target } of pairs) for (const one of [client, target]) one.resume()
    },
    forget: () => {
      for (const pair of pairs) {
        pairs.delete(pair)
        forgotten.push(pair)
        for (const one of [pair.client, pair.target]) one.removeAllListeners().on('error', () => {})
        pausePair(pair)
      }
    },
    cutAt: (text) => {
      const isCut = waitForText(text, endAll)
      endAll()
      return isCut
    },
    pauseAt: (text) =>
      waitForText(text, (deliver) => {
        deliverKept = deliver
        pause()
      }),
    refuse: close,
    listen: async () => {
      await listen(port)
    }
  }
}

function pausePair ({ client, target }: Pair): void {
  client.pause()
  target.pause()
}

function destroyPair ({ client, target }: Pair): void {
  client.destroy()
  target.destroy()
}
