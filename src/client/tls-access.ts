import { rootCertificates } from 'node:tls'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { roleOf } from '../domain/service-hosts.ts'
import type { AuthorityFiles } from '../tls/authority.ts'
import { startIntercepting, stopIntercepting } from './intercept.ts'

/** Access to the TLS listener of a mock in this process. */
export interface TlsAccess {
  /** URL of the TLS listener, such as https://127.0.0.1:40124. */
  tlsUrl: string
  /** Certificate that clients must trust, as PEM. */
  ca: string
  /**
   * Dispatcher for undici and `fetch`. It sends requests for the hosts of the service to the mock,
   * verifies its certificate, and sends all others where they belong.
   */
  dispatcher: Dispatcher
  /** Environment variables that make a child process trust the certificate. */
  env: Record<string, string>
  /**
   * Sends the requests of this process for the hosts of the service to the mock: of the global
   * `fetch`, and of `node:https`. `close()` ends it.
   */
  intercept: () => void
}

/** Opens the access. `closeTls` ends the interception and the connections. */
export function openTlsAccess (
  tlsUrl: string,
  ca: string,
  files: AuthorityFiles | undefined
): { access: TlsAccess; closeTls: () => Promise<void> } {
  const port = Number(new URL(tlsUrl).port)
  const trusted = [...rootCertificates, ca]
  const dispatcher = createDispatcher(port, trusted)
  const interception = { dispatcher, port, ca: trusted }
  return {
    access: {
      tlsUrl,
      ca,
      dispatcher,
      env: files === undefined ? {} : trustVariables(files),
      intercept: () => startIntercepting(interception)
    },
    closeTls: async () => {
      stopIntercepting(interception)
      await dispatcher.destroy()
    }
  }
}

function createDispatcher (port: number, ca: string[]): Agent {
  const connect = buildConnector({ ca })
  return new Agent({
    connect: (options, callback) =>
      connect(
        options.protocol === 'https:' && roleOf(options.hostname) !== undefined
          ? {
              ...options,
              hostname: '127.0.0.1',
              port: String(port),
              servername: options.hostname
            }
          : options,
        callback
      )
  })
}

/** Variables of all languages that read one. PHP and Java need files: see `momock ca --env`. */
function trustVariables ({ ca, bundle }: AuthorityFiles): Record<string, string> {
  return {
    NODE_EXTRA_CA_CERTS: ca,
    SSL_CERT_FILE: bundle,
    REQUESTS_CA_BUNDLE: bundle,
    CURL_CA_BUNDLE: bundle
  }
}
