import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { MomockError, type MomockClient } from '../client/client.ts'
import { ConfigError, type Config } from '../config/config.ts'
import { serviceHosts } from '../domain/service-hosts.ts'
import { systemClock } from '../lib/clock.ts'
import {
  authorityFiles,
  openAuthority,
  storeTrusted,
  type AuthorityFiles
} from '../tls/authority.ts'
import { findTlsFolder, listCertificateNames } from '../tls/names.ts'
import { listTrustLines } from '../tls/trust-lines.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { findMockUrl } from './mock-url.ts'
import { isMomock, probeServer } from './probe.ts'
import { connectTo, findRunningMock } from './running-mock.ts'

const probeTimeoutMs = 1000

/** Certificate of an authority, and its files once somebody needs them. */
interface Trusted {
  cert: string
  findFiles: () => AuthorityFiles
}

/** `momock ca`: prints the certificate of the authority, or the lines that let clients trust it. */
export const run: RunCommand = async (input) => {
  const { flags, out } = input
  if (flags.hosts === true) {
    out.write(`127.0.0.1 ${serviceHosts.join(' ')}\n`)
    return exitCodes.fine
  }
  const settings = await input.config()
  const client = await findMock(input, settings)
  if (client === undefined && flags.url !== undefined) return exitCodes.address
  const folder = resolve(input.folder, findTlsFolder(settings))
  const asked = client && (await askMock(client, folder, flags.url !== undefined))
  const { cert, findFiles } = asked ?? (await openOwn(input, settings, folder))
  const lines =
    typeof flags.env === 'string' ? listTrustLines(flags.env, findFiles()) : [cert.trimEnd()]
  out.write(`${lines.join('\n')}\n`)
  return exitCodes.fine
}

/** Finds the mock of --url, or else the one that runs with these settings, if any. */
async function findMock (
  input: CommandInput,
  settings: Config
): Promise<MomockClient | undefined> {
  if (input.flags.url !== undefined) return (await findRunningMock('ca', input))?.client
  if (settings.port === 0) return undefined
  const url = findMockUrl(undefined, settings, [])
  const isRunning = isMomock(await probeServer(`${url}/health`, probeTimeoutMs))
  return isRunning ? connectTo(url, settings) : undefined
}

/** Asks a mock for its authority. Returns undefined if it has none and need not have one. */
async function askMock (
  client: MomockClient,
  folder: string,
  isRequired: boolean
): Promise<Trusted | undefined> {
  try {
    const cert = await client.call<string>('GET', '/ca.pem')
    const own = authorityFiles(folder)
    const isOwn = existsSync(own.ca) && readFileSync(own.ca, 'utf8').trim() === cert.trim()
    const { hostname, port } = new URL(client.url)
    const place = join(folder, 'trusted', `${hostname.replace(/[[\]:]/g, '_')}-${port}`)
    return { cert, findFiles: () => (isOwn ? own : storeTrusted(place, cert)) }
  } catch (error) {
    if (!isRequired && error instanceof MomockError && error.code === 'NOT_FOUND') return undefined
    throw error
  }
}

/** Opens the authority of the folder, as a start would. The first call creates it. */
async function openOwn (
  { err }: CommandInput,
  settings: Config,
  folder: string
): Promise<Trusted> {
  if (settings.tlsCert !== undefined) {
    throw new ConfigError([
      'tlsCert is set, so clients must trust the authority that signed your own certificate'
    ])
  }
  const isNew = !existsSync(authorityFiles(folder).ca)
  const names = listCertificateNames(settings)
  const { cert, files } = await openAuthority(folder, names, systemClock.now())
  if (isNew) {
    err.write(
      `a new certificate authority was created in ${folder}; a mock with another folder has ` +
        'another one: name it with --url or --tls-dir\n'
    )
  }
  return { cert, findFiles: () => files }
}
