import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import { ConfigError, type Config } from '../config/config.ts'
import { AuthorityError, authorityFiles, checkNames, readAuthority } from '../tls/authority.ts'
import { findTlsFolder, listCertificateNames } from '../tls/names.ts'
import { checkAddress, checkNewFile, type Finding, type Setup } from './doctor-findings.ts'
import { isMomock } from './probe.ts'

/** Checks the TLS listener: its port and its certificate. Changes nothing. */
export async function checkTls ({ config, folder, running }: Setup): Promise<Finding[]> {
  if (config.tlsPort === undefined) {
    return [{ verdict: 'ok', what: 'HTTPS is off; --tls-port turns it on' }]
  }
  const address = { host: config.host, port: config.tlsPort }
  const port = isMomock(running) ? [] : [await checkAddress(address, 'HTTPS', '--tls-port')]
  try {
    return [...port, await checkCertificate(config, folder)]
  } catch (error) {
    if (error instanceof AuthorityError) {
      return [...port, { verdict: 'fail', what: error.problem, fix: error.fix }]
    }
    if (!(error instanceof ConfigError)) throw error
    return [...port, ...error.problems.map((what): Finding => ({ verdict: 'fail', what }))]
  }
}

async function checkCertificate (config: Config, folder: string): Promise<Finding> {
  if (config.tlsCert !== undefined || config.tlsKey !== undefined) {
    const { readOwnCertificate } = await import('../tls/credentials.ts')
    readOwnCertificate(config)
    return { verdict: 'ok', what: `${config.tlsCert ?? ''} and its key can be used` }
  }
  const { required } = listCertificateNames(config)
  const tlsFolder = resolve(folder, findTlsFolder(config))
  const files = authorityFiles(tlsFolder)
  if (!existsSync(files.ca) && !existsSync(files.key)) return checkNewFile(files.ca, '--tls-dir')
  const { cert } = readAuthority(tlsFolder, systemClock.now())
  const { readNameLimits } = await import('../tls/certificates.ts')
  checkNames(tlsFolder, required, readNameLimits(cert))
  return { verdict: 'ok', what: `clients must trust ${files.ca}` }
}
