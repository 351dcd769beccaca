import { once } from 'node:events'
import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

/** Longest wait for open connections at the end, and for an answer before a large body. */
const patienceMs = 200
/** Bytes of a body that servers can refuse. */
const largeBody = 1024 * 1024

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
  t.teardown(async () => {
    const closed = once(proxy, 'close')
    proxy.close()
    // Answers that the servers have ended are passed on first.
    const limit = setTimeout(() => proxy.closeAllConnections(), patienceMs)
    await closed
    clearTimeout(limit)
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
    answer.pipe(response, { end: false })
    answer.on('error', () => response.destroy())
    answer.on('end', () => {
      onward.destroy()
      // A connection that is closed before all of a body was read can lose the answer.
      if (request.complete) response.end()
      else request.once('end', () => response.end())
    })
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
  if (Number(request.headers['content-length'] ?? 0) <= largeBody) request.pipe(onward)
  else {
    // A server that refuses a large body answers to its headers and closes the connection.
    onward.flushHeaders()
    const limit = setTimeout(() => request.pipe(onward), patienceMs)
    onward.once('response', () => clearTimeout(limit))
    response.once('close', () => clearTimeout(limit))
  }
}

/**
 * Returns the headers of a request. Without a Connection header, Node.js would ask the server to
 * close, and the client would be told so.
 */
function keepOpen ({ rawHeaders, headers }: IncomingMessage): string[] {
  return headers.connection === undefined ? [...rawHeaders, 'connection', 'keep-alive'] : rawHeaders
}
