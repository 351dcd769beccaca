import { rootCertificates } from 'node:tls'
import { Agent, buildConnector } from 'undici'
import { roleOf } from '../domain/service-hosts.ts'
import type { AuthorityFiles } from '../tls/authority.ts'
import { startIntercepting, stopIntercepting } from './intercept.ts'
import type { TlsAccess } from './tls-properties.ts'

/** Opens the access. `closeTls` ends the interception and the connections. */
export function openTlsAccess (
  tlsUrl: string,
  ca: string,
  files: AuthorityFiles | undefined
): { access: TlsAccess; env: Record<string, string>; closeTls: () => Promise<void> } {
  const port = Number(new URL(tlsUrl).port)
  const trusted = [...rootCertificates, ca]
  const dispatcher = createDispatcher(port, trusted)
  const interception = { dispatcher, port, ca: trusted }
  return {
    access: {
      tlsUrl,
      ca,
      dispatcher,
      intercept: () => startIntercepting(interception)
    },
    env: files === undefined ? {} : trustVariables(files),
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
