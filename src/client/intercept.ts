import https from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import { getGlobalDispatcher, setGlobalDispatcher, type Dispatcher } from 'undici'
import { roleOf } from '../domain/service-hosts.ts'

/**
 * Redirection of the service's hosts inside this process: of the global `fetch` by a dispatcher, of
 * `node:https` by its agents. Verification stays on; other hosts are not affected.
 */

/** A mock that takes the requests for the hosts of the service. */
export interface Interception {
  dispatcher: Dispatcher
  /** Port of its TLS listener on this machine. */
  port: number
  /** Certificates to trust. */
  ca: readonly string[]
}

type CreateConnection = https.Agent['createConnection']
/** Options of a connection that an agent of `node:https` opens. */
type AgentOptions = Parameters<CreateConnection>[0] & Pick<ConnectionOptions, 'servername' | 'ca'>

/** Mocks that intercept, the newest last. The newest one takes all requests. */
const active: Interception[] = []
const original: { dispatcher?: Dispatcher; createConnection?: CreateConnection } = {}

/** Sends the requests for the hosts of the service to a mock. */
export function startIntercepting (interception: Interception): void {
  if (active.includes(interception)) return
  if (active.length === 0) replaceDefaults()
  active.push(interception)
  setGlobalDispatcher(interception.dispatcher)
}

/** Ends it. The mock before takes over, or else everything is as it was. */
export function stopIntercepting (interception: Interception): void {
  if (!active.includes(interception)) return
  active.splice(active.indexOf(interception), 1)
  const next = active.at(-1)?.dispatcher ?? original.dispatcher
  if (next !== undefined) setGlobalDispatcher(next)
  if (active.length === 0 && original.createConnection !== undefined) {
    https.Agent.prototype.createConnection = original.createConnection
  }
}

function replaceDefaults (): void {
  const { createConnection } = https.Agent.prototype
  original.dispatcher = getGlobalDispatcher()
  original.createConnection = createConnection
  https.Agent.prototype.createConnection = function (options, callback) {
    const target = active.at(-1)
    return createConnection.call(
      this,
      target === undefined ? options : redirect(options, target),
      callback
    )
  }
}

/** Returns the options of a connection to the mock, for a host of the service. */
function redirect (options: AgentOptions, { port, ca }: Interception): AgentOptions {
  const host = options.host ?? ''
  if (roleOf(host) === undefined) return options
  return {
    ...options,
    host: '127.0.0.1',
    port,
    servername: options.servername ?? host,
    ca: [...ca, ...[options.ca ?? []].flat()]
  }
}
