import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Returns a port that nobody listens on. It is below those that systems give to a server with port
 * 0 or to a client: another test that runs at the same time does not get it.
 */
export async function freePort (): Promise<number> {
  for (;;) {
    const port = randomInt(16_000, 32_000)
    const server = createServer()
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening')
      await once(server.close(), 'close')
      return port
    } catch {
      // Somebody listens on it.
    }
  }
}
