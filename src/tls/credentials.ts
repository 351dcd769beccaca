import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError, type Config } from '../config/config.ts'
import { createRunCertificate, openAuthority, type AuthorityFiles } from './authority.ts'
import { findTlsFolder, listCertificateNames } from './names.ts'

/** Certificate and key of the TLS listener. */
export interface TlsCredentials {
  cert: string
  key: string
  /** The authority that signed the certificate; none for a certificate of the user. */
  authority?: { cert: string; files: AuthorityFiles }
}

type TlsSettings = Pick<Config, 'tlsCert' | 'tlsKey' | 'tlsDir' | 'tlsHosts' | 'db'>

/** Returns the certificate of the settings, or creates one. Throws a ConfigError. */
export async function openCredentials (config: TlsSettings, now: number): Promise<TlsCredentials> {
  if (config.tlsCert !== undefined || config.tlsKey !== undefined) return readOwnCertificate(config)
  const names = listCertificateNames(config)
  const folder = findTlsFolder(config)
  const authority = await openAuthority(folder, names, now)
  const { cert, key } = await createRunCertificate(authority, folder, names, now)
  return { cert, key, authority: { cert: authority.cert, files: authority.files } }
}

/** Reads the certificate and the key of the user. */
export function readOwnCertificate ({ tlsCert, tlsKey }: TlsSettings): TlsCredentials {
  if (tlsCert === undefined || tlsKey === undefined) {
    const [given, missing] = tlsCert === undefined ? ['tlsKey', 'tlsCert'] : ['tlsCert', 'tlsKey']
    throw new ConfigError([`${given} needs ${missing}: a certificate and its private key`])
  }
  const problems: string[] = []
  const cert = readPem('tlsCert', tlsCert, problems)
  const key = readPem('tlsKey', tlsKey, problems)
  const certificate = parse('tlsCert', tlsCert, cert, (pem) => new X509Certificate(pem), problems)
  const privateKey = parse<KeyObject>('tlsKey', tlsKey, key, createPrivateKey, problems)
  if (
    certificate !== undefined &&
    privateKey !== undefined &&
    !certificate.checkPrivateKey(privateKey)
  ) {
    problems.push(
      `tlsKey: the key in ${tlsKey} does not belong to the certificate in ${tlsCert}; the first ` +
        'certificate of the file must be the one of the server'
    )
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return { cert: cert ?? '', key: key ?? '' }
}

function readPem (setting: string, path: string, problems: string[]): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    problems.push(`${setting}: ${path} cannot be read (${(error as Error).message})`)
  }
}

function parse<T> (
  setting: 'tlsCert' | 'tlsKey',
  path: string,
  pem: string | undefined,
  read: (pem: string) => T,
  problems: string[]
): T | undefined {
  if (pem === undefined) return undefined
  try {
    return read(pem)
  } catch {
    const what = setting === 'tlsCert' ? 'a certificate' : 'a private key without a password'
    problems.push(`${setting}: ${path} is not ${what} as PEM`)
  }
}
