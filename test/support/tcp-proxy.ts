import { once } from 'node:events'
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net'
import type { Test } from 'tap'
import { waitFor } from './waits.ts'

/** A network between a server and its database that a test can interrupt. */
export interface TcpProxy {
  port: number
  /** Counts the open connections. */
  count: () => number
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

/** Text that ends or pauses all connections. */
interface Cut {
  text: string
  done: () => void
}

/** Starts a proxy for a port of this machine. */
export async function startProxy (t: Test, targetPort: number): Promise<TcpProxy> {
  const pairs = new Set<Pair>()
  let isPaused = false
  let cut: Cut | undefined
  let stop: Cut | undefined
  /** What was not delivered because of a text. */
  let kept: Array<() => void> = []
  const endAll = (): void => {
    for (const pair of pairs) destroyPair(pair)
  }
  const server = createServer((client) => {
    const target = createConnection(targetPort, '127.0.0.1')
    const pair = { client, target }
    pairs.add(pair)
    for (const [from, to] of [
      [client, target],
      [target, client]
    ]) {
      from.on('error', () => {})
      from.on('data', (data) => {
        if (stop !== undefined && from === client && data.includes(stop.text)) {
          isPaused = true
          for (const pair of pairs) pausePair(pair)
          kept.push(() => to.write(data))
          stop.done()
          stop = undefined
          return
        }
        if (cut === undefined || from !== client || !data.includes(cut.text)) return to.write(data)
        endAll()
        cut.done()
        cut = undefined
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
    pause: () => {
      isPaused = true
      for (const pair of pairs) pausePair(pair)
    },
    resume: () => {
      isPaused = false
      for (const deliver of kept) deliver()
      kept = []
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
      const { promise, resolve } = Promise.withResolvers<void>()
      cut = { text, done: resolve }
      endAll()
      return waitFor(`${text} on a connection`, promise)
    },
    pauseAt: (text) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      stop = { text, done: resolve }
      return waitFor(`${text} on a connection`, promise)
    },
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
