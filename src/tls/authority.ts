import { createPrivateKey, X509Certificate } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { rootCertificates } from 'node:tls'
import { ConfigError } from '../config/config.ts'
import type { KeyedCertificate } from './certificates.ts'
import type { CertificateNames } from './names.ts'

/**
 * Certificate authority of a mock, in a folder. It is created once, so that clients that trust it
 * keep their trust over restarts.
 */

/** Files of the folder. */
export interface AuthorityFiles {
  /** Certificate of the authority. */
  ca: string
  /** Private key of the authority. */
  key: string
  /** Root certificates of Node and the authority, for variables that replace the trust store. */
  bundle: string
}

/** An authority that is ready to sign. */
export interface Authority extends KeyedCertificate {
  files: AuthorityFiles
}

/** Returns the paths of the files in a folder. */
export function authorityFiles (folder: string): AuthorityFiles {
  const path = (name: string): string => resolve(folder, name)
  return { ca: path('ca.pem'), key: path('ca.key'), bundle: path('bundle.pem') }
}

/** Opens the authority of a folder. The first call creates it. Throws a ConfigError. */
export async function openAuthority (
  folder: string,
  { required, machine }: CertificateNames,
  now: number
): Promise<Authority> {
  const files = authorityFiles(folder)
  const { createKey, createAuthority } = await import('./certificates.ts')
  // A certificate without its key is reported below.
  if (!existsSync(files.ca)) await createFile(files.key, 0o600, createKey)
  if (!existsSync(files.ca)) {
    const key = readKey(folder, files.key)
    const limits = [...required, ...machine].map((name) => name.replace(/^\*\./, ''))
    await createFile(files.ca, 0o644, () => createAuthority(key, limits, now))
  }
  const authority = readAuthority(folder, now)
  writeBundle(files.bundle, authority.cert)
  return authority
}

/** Reads and checks the authority of a folder. Throws a ConfigError if it cannot be used. */
export function readAuthority (folder: string, now: number): Authority {
  const files = authorityFiles(folder)
  const key = readKey(folder, files.key)
  const cert = readText(folder, files.ca)
  checkCertificate(folder, cert, key, now)
  return { cert, key, files }
}

/** Creates the server certificate of one run. Throws a ConfigError for names it cannot sign. */
export async function createRunCertificate (
  authority: Authority,
  folder: string,
  { required, machine }: CertificateNames,
  now: number
): Promise<KeyedCertificate> {
  const { createServerCertificate, readNameLimits } = await import('./certificates.ts')
  const canSign = readNameLimits(authority.cert)
  checkNames(folder, required, canSign)
  const names = [...required, ...machine.filter(canSign)]
  return await createServerCertificate(authority, names, now)
}

/** Refuses names that an authority cannot sign. */
export function checkNames (
  folder: string,
  names: readonly string[],
  canSign: (name: string) => boolean
): void {
  const refused = names.filter((name) => !canSign(name))
  if (refused.length > 0) {
    throw unusable(folder, `it was created for other names and cannot sign ${refused.join(', ')}`)
  }
}

/**
 * Creates a file: whole, or not at all. If another process creates it first, its content counts.
 */
async function createFile (
  path: string,
  mode: number,
  create: () => Promise<string>
): Promise<void> {
  if (existsSync(path)) return
  const text = await create()
  try {
    mkdirSync(dirname(path), { recursive: true })
    const part = partOf(path)
    try {
      writeFileSync(part, text, { mode })
      linkOrRename(part, path)
    } finally {
      rmSync(part, { force: true })
    }
  } catch (error) {
    throw notWritable(path, error)
  }
}

/** Gives a whole file its name, unless another file has it. */
function linkOrRename (part: string, path: string): void {
  try {
    linkSync(part, path)
  } catch {
    // Some file systems have no links.
    if (!existsSync(path)) renameSync(part, path)
  }
}

/** Name of a file while it is written. */
function partOf (path: string): string {
  return `${path}.${process.pid}`
}

function readText (folder: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw unusable(folder, describe(error))
  }
}

function readKey (folder: string, path: string): string {
  const key = readText(folder, path)
  try {
    if (createPrivateKey(key).asymmetricKeyDetails?.namedCurve === 'prime256v1') return key
  } catch {
    // The message below covers it.
  }
  throw unusable(folder, 'ca.key is not an EC P-256 private key as PEM')
}

function checkCertificate (folder: string, cert: string, key: string, now: number): void {
  const certificate = parseCertificate(cert)
  if (certificate === undefined) throw unusable(folder, 'ca.pem is not a certificate as PEM')
  if (!certificate.ca) throw unusable(folder, 'ca.pem is not the certificate of an authority')
  if (!certificate.checkPrivateKey(createPrivateKey(key))) {
    throw unusable(folder, 'ca.key does not belong to ca.pem')
  }
  if (Date.parse(certificate.validTo) <= now) {
    throw unusable(folder, `it expired on ${certificate.validTo}`)
  }
  if (Date.parse(certificate.validFrom) > now) {
    throw unusable(folder, `it is not valid before ${certificate.validFrom}; check the clock`)
  }
}

function parseCertificate (pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem)
  } catch {
    return undefined
  }
}

/** Stores the certificate of an authority of another folder, so that clients can trust it. */
export function storeTrusted (folder: string, cert: string): AuthorityFiles {
  const files = authorityFiles(folder)
  try {
    mkdirSync(folder, { recursive: true })
    writeFileSync(files.ca, cert, { mode: 0o644 })
  } catch (error) {
    throw notWritable(files.ca, error)
  }
  writeBundle(files.bundle, cert)
  return files
}

/** Writes the bundle, if it changes. A reader never sees half of it. */
function writeBundle (path: string, cert: string): void {
  const text = [...rootCertificates, cert.trimEnd(), ''].join('\n')
  try {
    if (existsSync(path) && readFileSync(path, 'utf8') === text) return
    const part = partOf(path)
    writeFileSync(part, text, { mode: 0o644 })
    renameSync(part, path)
  } catch (error) {
    throw notWritable(path, error)
  }
}

/** Error for an authority that cannot be used or created. */
export class AuthorityError extends ConfigError {
  readonly problem: string
  readonly fix: string

  constructor (problem: string, fix: string) {
    super([`${problem}; ${fix}`])
    this.problem = problem
    this.fix = fix
  }
}

function unusable (folder: string, problem: string): AuthorityError {
  return new AuthorityError(
    `tlsDir: the certificate authority in ${resolve(folder)} cannot be used: ${problem}`,
    'delete ca.pem and ca.key in it to create a new one, which clients must trust again, or ' +
      'choose another folder with --tls-dir'
  )
}

function notWritable (path: string, error: unknown): AuthorityError {
  return new AuthorityError(
    `tlsDir: ${path} cannot be written (${describe(error)})`,
    'choose another folder with --tls-dir, or make it writable for this user'
  )
}

function describe (error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
