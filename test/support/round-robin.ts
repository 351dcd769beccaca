import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Starts a proxy that gives each request to the next server in turn, and returns its URL. */
export async function startRoundRobin (
  t: Pick<Test, 'teardown'>,
  urls: readonly string[]
): Promise<string> {
  let turn = 0
  const proxy = createServer((request, response) => {
    forward(urls[turn++ % urls.length], request, response)
  })
  // Requests arrive whole, or the server behind it decides that they took too long.
  proxy.requestTimeout = 0
  // The servers name their own limit in their answers.
  proxy.keepAliveTimeout = 0
  // A client that has sent all it has still gets its answers, as from the server itself.
  Object.assign(proxy, { httpAllowHalfOpen: true })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

/** Passes a request on, and the answer back. A connection that one side cuts is cut on both. */
function forward (url: string, request: IncomingMessage, response: ServerResponse): void {
  const { hostname, port } = new URL(url)
  const onward = send({
    hostname,
    port,
    agent: false,
    method: request.method,
    path: request.url,
    headers: keepOpen(request),
    setHost: false
  })
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders)
    response.flushHeaders()
    answer.pipe(response)
    answer.on('error', () => response.destroy())
    answer.on('end', () => onward.destroy())
  })
  // A server that has answered need not read the rest of a body.
  onward.on('error', () => response.headersSent || response.destroy())
  onward.on('close', () => request.unpipe().resume())
  // A client that closes its side after its request is seen by the server, too.
  const endSide = (): unknown => onward.socket?.end()
  const endSideLater = (): unknown =>
    onward.writableFinished ? endSide() : onward.once('finish', endSide)
  request.socket.once('end', endSideLater)
  response.on('close', () => {
    request.socket.off('end', endSideLater)
    onward.destroy()
  })
  request.pipe(onward)
}

/**
 * Returns the headers of a request. Without a Connection header, Node.js would ask the server to
 * close, and the client would be told so.
 */
function keepOpen ({ rawHeaders, headers }: IncomingMessage): string[] {
  return headers.connection === undefined ? [...rawHeaders, 'connection', 'keep-alive'] : rawHeaders
}
