import { isIP } from 'node:net'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { ConfigError, defaults, type Config } from '../config/config.ts'
import { serviceHosts } from '../domain/service-hosts.ts'

/** Names and folder of the certificates, from the settings. */

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const hostName = new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`)
const longestName = 253

/** Names that every certificate has. */
const fixedNames = [...serviceHosts, 'localhost', '127.0.0.1', '::1']

/** Names of a server certificate. */
export interface CertificateNames {
  /** Names that it must have. */
  required: string[]
  /** Name of this machine. An authority of another machine cannot sign it; then it is left out. */
  machine: string[]
}

/** Returns the names for the certificate. Throws a ConfigError for a wrong one in `tlsHosts`. */
export function listCertificateNames (
  { tlsHosts = '' }: Pick<Config, 'tlsHosts'>,
  machine = hostname()
): CertificateNames {
  const own = tlsHosts
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
  const wrong = own.filter((name) => !isName(name))
  if (wrong.length > 0) {
    throw new ConfigError(
      wrong.map((name) => ({
        path: 'tlsHosts',
        message:
          `tlsHosts: '${name}' is not a host name or an IP address; write names such as ` +
          'mock.example.test or *.example.test, without scheme and port, with commas between them'
      }))
    )
  }
  const required = [...new Set([...fixedNames, ...own])]
  const here = machine.toLowerCase()
  return { required, machine: isName(here) && !required.includes(here) ? [here] : [] }
}

/** Returns the folder of the authority: the setting, or `tls` beside the ledger. */
export function findTlsFolder ({ tlsDir, db }: Pick<Config, 'tlsDir' | 'db'>): string {
  if (tlsDir !== undefined) return tlsDir
  return join(dirname(db === ':memory:' ? String(defaults().db) : db), 'tls')
}

function isName (name: string): boolean {
  return isIP(name) !== 0 || (name.length <= longestName && hostName.test(name))
}
