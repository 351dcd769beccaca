import { roleOf } from '../domain/service-hosts.ts'
import type { FileProblem } from '../lib/yaml-file.ts'
import { ConfigError, problemOf, type Config } from './config.ts'

/** Checks settings that need the TLS listener: certificates, and links to the service's hosts. */
export function checkTlsSettings (config: Config): void {
  const problems = [...checkTlsListener(config), ...checkPageUrls(config)]
  if (problems.length > 0) throw new ConfigError(problems)
}

function checkTlsListener ({ port, tlsPort, tlsCert, tlsKey }: Config): FileProblem[] {
  if (tlsPort === undefined) {
    return Object.entries({ tlsCert, tlsKey }).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [problemOf(name, 'has no effect without tlsPort; set it (--tls-port)')]
    )
  }
  return tlsPort === port && port !== 0
    ? [problemOf('tlsPort', `is ${port}, as port is; HTTP and HTTPS need a port each`)]
    : []
}

function checkPageUrls (config: Config): FileProblem[] {
  return (['checkoutUrl', 'paymentPageUrl'] as const).flatMap((name) => {
    const url = URL.parse(config[name] ?? '')
    if (url === null || roleOf(url.hostname) === undefined) return []
    if (url.protocol !== 'https:') {
      return [problemOf(name, `must begin with https:// for ${url.hostname}`)]
    }
    if (config.tlsPort !== undefined) return []
    const says = 'is a host of the service, which needs HTTPS; set tlsPort, too (--tls-port)'
    return [problemOf(name, says)]
  })
}
