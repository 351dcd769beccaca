import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import { ConfigError, type Config } from '../config/config.ts'
import { AuthorityError, authorityFiles, checkNames, readAuthority } from '../tls/authority.ts'
import { findTlsFolder, listCertificateNames } from '../tls/names.ts'
import { checkNewFile, tryListening, type Finding, type Setup } from './doctor-findings.ts'
import { isMomock } from './probe.ts'

/** Checks the TLS listener: its port and its certificate. Changes nothing. */
export async function checkTls ({ config, folder, running }: Setup): Promise<Finding[]> {
  if (config.tlsPort === undefined) {
    return [{ verdict: 'ok', what: 'HTTPS is off; --tls-port turns it on' }]
  }
  const port = isMomock(running) ? [] : await checkTlsPort(config.host, config.tlsPort)
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

async function checkTlsPort (host: string, port: number): Promise<Finding[]> {
  const error = await tryListening({ host, port })
  if (error === undefined) {
    const what =
      port === 0 ? `HTTPS will use any free port of ${host}` : `port ${port} of ${host} is free`
    return [{ verdict: 'ok', what }]
  }
  const { explainAddress } = await import('../server.ts')
  const { problem, fix } = explainAddress({ host, port }, error, '--tls-port')
  return [{ verdict: 'fail', what: problem, fix }]
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
