import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import {
  createServer as createHttp2Server,
  type Http2Server,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session
} from 'node:http2'
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { nameOf } from './host-name.ts'
import { routeByHost } from './host-routing.ts'
import { httpServerOptions, type HttpTimes } from './server.ts'

/**
 * Second listener of the server, for HTTPS with HTTP/1.1 and HTTP/2. It hands its requests to the
 * plain listener's own handlers, so hooks, routes and the fast path are the same. This file loads
 * the modules for TLS, so it is imported only when TLS is on.
 */
export class TlsListener {
  readonly #server: HttpsServer
  readonly #http2: Http2Server
  readonly #sockets = new Set<Socket>()
  /** Connections of HTTP/1.1 that have not sent a request yet. */
  readonly #silent = new Set<Socket>()
  readonly #sessions = new Set<ServerHttp2Session>()
  #closed: Promise<void> = Promise.resolve()

  constructor (plain: Server, credentials: { cert: string; key: string }, times: HttpTimes) {
    this.#server = createHttpsServer({
      ...httpServerOptions(times),
      cert: credentials.cert,
      key: credentials.key,
      minVersion: 'TLSv1.2',
      ALPNProtocols: ['h2', 'http/1.1']
    })
    this.#http2 = createHttp2Server()
    this.#copySettings(plain)
    this.#splitProtocols()
    this.#server.on('connection', (socket: Socket) => remember(this.#sockets, socket))
    this.#http2.on('session', (session) => remember(this.#sessions, session))
    this.#server.on('request', (request, response) => {
      this.#silent.delete(request.socket)
      handOver(plain, request, response, adaptRequest)
    })
    this.#http2.on('request', (request, response) => {
      handOver(plain, request, response, () => {
        hidePseudoHeaders(request)
        adaptRequest(request)
      })
    })
  }

  /** Listens, and returns the port. */
  async listen (port: number, host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends each connection of HTTP/1.1 with its next answer. */
  endKeepAlive (): void {
    this.#server.maxRequestsPerSocket = 1
  }

  /** Accepts no more connections, and ends idle ones. `closed` tells when all have ended. */
  stop (): void {
    if (!this.#server.listening) return
    this.#closed = new Promise((resolve) => this.#server.close(() => resolve()))
    for (const session of this.#sessions) session.close()
    this.closeIdle()
  }

  get closed (): Promise<void> {
    return this.#closed
  }

  /** Ends connections without an open request. */
  closeIdle (): void {
    this.#server.closeIdleConnections()
    for (const socket of this.#silent) socket.destroy()
  }

  /** Ends all connections. */
  closeAll (): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Gives it the timeouts of the plain server, and its answer to requests that are not HTTP. */
  #copySettings (plain: Server): void {
    const { keepAliveTimeout, requestTimeout, maxRequestsPerSocket, timeout } = plain
    Object.assign(this.#server, { keepAliveTimeout, requestTimeout, maxRequestsPerSocket, timeout })
    for (const listener of plain.listeners('clientError')) {
      this.#server.on('clientError', (error, socket) => listener.call(plain, error, socket))
    }
  }

  /**
   * Hands connections of HTTP/2 clients to the HTTP/2 server. One server for both protocols
   * (`allowHTTP1`) has neither the options nor the orderly end of the plain listener.
   */
  #splitProtocols (): void {
    const http1 = this.#server.listeners('secureConnection')
    this.#server.removeAllListeners('secureConnection')
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol === 'h2') this.#http2.emit('connection', socket)
      else {
        remember(this.#silent, socket)
        for (const listener of http1) listener.call(this.#server, socket)
      }
    })
  }
}

/** Keeps a connection in a set until it is closed. */
function remember<T extends Socket | ServerHttp2Session> (set: Set<T>, connection: T): void {
  set.add(connection)
  connection.once('close', () => set.delete(connection))
}

/** Hands a request to the plain listener. One that cannot be adapted is refused. */
function handOver<Request extends IncomingMessage | Http2ServerRequest> (
  plain: Server,
  request: Request,
  response: ServerResponse | Http2ServerResponse,
  adapt: (request: Request) => void
): void {
  try {
    adapt(request)
  } catch {
    // What is thrown in this event would end the process.
    response.statusCode = 400
    response.end()
    return
  }
  plain.emit('request', request, response)
}

/** Gives a request the path that the mock has for it. */
function adaptRequest (request: IncomingMessage | Http2ServerRequest): void {
  const { headers, socket, url = '/' } = request
  // A request of HTTP/1.0 has no Host header; then the handshake names the host.
  const serverName = 'servername' in socket ? String(socket.servername) : ''
  request.url = routeByHost(nameOf(headers.host ?? serverName), url)
}

/** Replaces the headers of HTTP/2 that begin with a colon; `:authority` becomes `host`. */
function hidePseudoHeaders (request: Http2ServerRequest): void {
  const { headers, rawHeaders } = request
  const host = headers[':authority'] ?? headers.host
  const pairs = Object.entries(headers).filter(([name]) => !name.startsWith(':') && name !== 'host')
  const raw = rawHeaders.flatMap((text, index) => {
    const name = rawHeaders[index - (index % 2)].toLowerCase()
    return name.startsWith(':') || name === 'host' ? [] : [text]
  })
  // Node reads method and path from its own headers, so they are covered, not deleted.
  Object.defineProperties(request, {
    headers: { value: { ...(host !== undefined && { host }), ...Object.fromEntries(pairs) } },
    rawHeaders: { value: [...(host !== undefined ? ['host', host] : []), ...raw] }
  })
}
