import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { TlsListener } from '../routes/http/tls-listener.ts'
import { baseOf, isPostgresUrl, urlOf } from './lib/url.ts'
import { reviewConfig } from './build/review.ts'
import { createApp, type App, type AppOptions } from './app.ts'
import type { SystemClock } from './lib/clock.ts'
import type { Config } from './config/config.ts'
import type { TlsCredentials } from './tls/credentials.ts'

/** Running server. */
export interface Server {
  app: App
  /** Address it listens on. Links begin with `app.links.base` instead. */
  url: string
  /** URL, certificate and authority of the TLS listener, if TLS is on. */
  tls?: TlsCredentials & { url: string }
  /**
   * Waits for the stop delay, stops accepting requests, finishes open requests, and closes the
   * ledger. Requests that take too long are cut off.
   */
  close: () => Promise<void>
}

/** Time that open requests have to finish when the server stops. */
const openRequestsMs = 2500
/** Interval at which idle connections are closed while the server stops. */
const sweepMs = 50

/** Creates the server and listens. It is ready when the promise resolves. */
export async function startServer (
  config: Config,
  systemClock: SystemClock,
  log: Logger,
  options: AppOptions = {}
): Promise<Server> {
  const reviewed = await reviewConfig(config)
  const { stopDelayMs } = reviewed
  const tls = await openTls(config, systemClock)
  if (options.fresh === true || isPostgresUrl(config.db)) await refuseAddresses(config)
  const app = await createApp(config, systemClock, log, {
    ...options,
    reviewed,
    authority: tls?.credentials.authority?.cert,
    extend: (http) => {
      options.extend?.(http)
      tls?.attach(http, options)
    }
  })
  for (const note of app.scenarioLibrary.notes) log.warn(note)
  const connections = trackConnections(app)
  let url: string
  try {
    // First, so that HTTPS works as soon as the plain listener says that the server is healthy.
    if (tls !== undefined) app.links.tls = await listenTls(config, tls)
    await listen(config, () => app.http.listen({ port: config.port, host: config.host }))
    const { address, port } = app.http.server.address() as AddressInfo
    url = urlOf(address, port)
    app.links.base = baseOf(config.publicUrl ?? url)
    app.links.listening = url
    await app.start(port)
  } catch (error) {
    await app.close()
    throw error
  }
  return {
    app,
    url,
    ...(tls !== undefined && { tls: { url: app.links.tls ?? '', ...tls.credentials } }),
    close: async () => {
      app.life.isStopping = true
      // Each answer tells its client to connect again: to another server, through a balancer.
      app.http.server.maxRequestsPerSocket = 1
      tls?.listener?.endKeepAlive()
      if (stopDelayMs > 0) await sleep(stopDelayMs)
      await close(app, connections, tls?.listener)
    }
  }
}

/** Refuses addresses that cannot be used, before a ledger is created or deleted. */
async function refuseAddresses (config: Config): Promise<void> {
  const { host, port, tlsPort = 0 } = config
  const { AddressUnusableError, tryListening } = await import('./lib/address.ts')
  const addresses: Array<[flag: string, port: number, host: string]> = [
    ['--port', port, host],
    ['--tls-port', tlsPort, host]
  ]
  for (const [flag, port, host] of addresses) {
    const error = await tryListening({ host, port })
    if (error !== undefined) throw new AddressUnusableError({ host, port }, error, flag)
  }
}

/** Certificate of the TLS listener, and the listener once it is attached to the server. */
interface Tls {
  credentials: TlsCredentials
  listener?: TlsListener
  attach: (http: FastifyInstance, options: AppOptions) => void
}

/** Prepares the TLS listener, before anything listens. Its code is loaded only if TLS is on. */
async function openTls (config: Config, systemClock: SystemClock): Promise<Tls | undefined> {
  if (config.tlsPort === undefined) return undefined
  const [{ openCredentials }, { TlsListener }] = await Promise.all([
    import('./tls/credentials.ts'),
    import('../routes/http/tls-listener.ts')
  ])
  const credentials = await openCredentials(config, systemClock.now())
  const tls: Tls = {
    credentials,
    attach: (http, { fastPath = true, requestTimeoutMs }) => {
      const listener = new TlsListener(http.server, credentials, { fastPath, requestTimeoutMs })
      tls.listener = listener
      http.addHook('preClose', async () => listener.stop())
      // Open requests of this listener still need the rest of the server.
      http.addHook('onClose', async () => await listener.closed)
    }
  }
  return tls
}

async function listenTls ({ tlsPort = 0, host }: Config, { listener }: Tls): Promise<string> {
  const port = await listen(
    { port: tlsPort, host },
    async () => await listener?.listen(tlsPort, host),
    '--tls-port'
  )
  return urlOf(host, port ?? tlsPort, 'https')
}

async function listen<T> (
  address: Pick<Config, 'port' | 'host'>,
  start: () => Promise<T>,
  flag = '--port'
): Promise<T> {
  try {
    return await start()
  } catch (error) {
    const { AddressUnusableError } = await import('./lib/address.ts')
    throw new AddressUnusableError(address, error as NodeJS.ErrnoException, flag)
  }
}

/** Returns the set of open connections. */
function trackConnections (app: App): Set<Socket> {
  const connections = new Set<Socket>()
  app.http.server.on('connection', (socket) => {
    connections.add(socket)
    socket.once('close', () => connections.delete(socket))
  })
  return connections
}

async function close (
  app: App,
  connections: Set<Socket>,
  tlsListener: TlsListener | undefined
): Promise<void> {
  const { server } = app.http
  const impatience = setTimeout(() => {
    server.closeAllConnections()
    tlsListener?.closeAll()
  }, openRequestsMs)
  const sweep = setInterval(() => {
    // Node closes connections that are idle at the stop, but not those that become idle later,
    // and not those that never sent a request.
    server.closeIdleConnections()
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy()
    tlsListener?.closeIdle()
  }, sweepMs)
  try {
    await app.close()
  } finally {
    clearTimeout(impatience)
    clearInterval(sweep)
  }
}
