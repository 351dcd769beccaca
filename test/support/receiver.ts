import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A merchant's server that takes callbacks, and can be made to behave badly. */

export interface Arrival {
  url: string
  headers: IncomingHttpHeaders
  text: string
}

/** What a receiver does with a callback. */
export type Behaviour = 'accept' | 'refuse' | 'hang' | 'reset' | 'endless'

export interface Receiver {
  url: string
  arrivals: Arrival[]
  /** Decides about each callback that comes from now on. */
  behave: (decide: (arrival: Arrival) => Behaviour) => void
  close: () => Promise<void>
}

export async function openReceiver (): Promise<Receiver> {
  const arrivals: Arrival[] = []
  let decide = (_arrival: Arrival): Behaviour => 'accept'
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      return
    }
    const text = Buffer.concat(chunks).toString()
    const arrival = { url: request.url ?? '', headers: request.headers, text }
    arrivals.push(arrival)
    behaviours[decide(arrival)](response, request.socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    behave: (wanted) => {
      decide = wanted
    },
    close: async () => {
      server.closeAllConnections()
      await once(server.close(), 'close')
    }
  }
}

const behaviours: Record<Behaviour, (response: ServerResponse, socket: Socket) => void> = {
  accept: (response) => {
    response.end()
  },
  refuse: (response) => {
    response.writeHead(503).end()
  },
  hang: () => {},
  reset: (_, socket) => {
    socket.resetAndDestroy()
  },
  endless: (response) => {
    pour(response)
  }
}

const pieceOfBody = Buffer.alloc(64 * 1024, 'x')

/** Sends a body that never ends, as fast as it is read. */
function pour (response: ServerResponse): void {
  response.on('error', () => {})
  const more = (): void => {
    while (!response.destroyed && response.write(pieceOfBody)) {
      /* until it is full */
    }
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}
