import { resolve } from 'node:path'
import { systemClock } from '../lib/clock.ts'
import { ConfigError } from '../config/config.ts'
import { openAuthority } from '../tls/authority.ts'
import { findTlsFolder, listCertificateNames } from '../tls/names.ts'
import { listTrustLines } from '../tls/trust-lines.ts'
import { exitCodes, type RunCommand } from './command.ts'

/** `momock ca`: prints the certificate of the authority, or the lines that let clients trust it. */
export const run: RunCommand = async ({ flags, config, folder, out }) => {
  const settings = await config()
  if (settings.tlsCert !== undefined) {
    throw new ConfigError([
      'tlsCert is set, so clients must trust the authority that signed your own certificate'
    ])
  }
  const tlsFolder = resolve(folder, findTlsFolder(settings))
  const names = listCertificateNames(settings)
  const { cert, files } = await openAuthority(tlsFolder, names, systemClock.now())
  const lines = typeof flags.env === 'string' ? listTrustLines(flags.env, files) : [cert.trimEnd()]
  out.write(`${lines.join('\n')}\n`)
  return exitCodes.fine
}
