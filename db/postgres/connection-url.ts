import { accessSync, constants } from 'node:fs'
import { LedgerUnusableError } from '../../src/ports/ledger-error.ts'
import { parseDatabaseUrl } from '../../src/lib/url.ts'

/** Returns what is wrong with the value of a parameter; undefined if nothing is. */
type Check = (value: string) => string | undefined

/** Modes of encryption, which mean what they mean for psql. */
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full']
/** Name of the driver for the mode `require`. */
const noVerify = 'no-verify'

/** Parameters that a URL can have. The driver would ignore all others. */
const parameters: Readonly<Record<string, Check>> = {
  host: accept,
  port: accept,
  user: accept,
  password: accept,
  options: accept,
  // momock's sessions have a name of their own.
  application_name: accept,
  statement_timeout: (value) =>
    /^[1-9]\d{0,8}$/.test(value) ? undefined : 'must be a number of milliseconds from 1',
  sslmode: (value) =>
    [...sslModes, noVerify].includes(value)
      ? undefined
      : 'must be disable, require, verify-ca or verify-full',
  sslnegotiation: (value) =>
    ['postgres', 'direct'].includes(value) ? undefined : 'must be postgres or direct',
  sslrootcert: checkFile,
  sslcert: checkFile,
  sslkey: checkFile
}

/** Throws a LedgerUnusableError if a text is no URL of a database, or has wrong parameters. */
export function refuseWrongUrl (url: string, place: string): void {
  const parsed = parseDatabaseUrl(url)
  if (parsed === undefined) {
    throw new LedgerUnusableError(
      `${place} is no URL of a database`,
      'write postgres://USER@HOST:PORT/DATABASE, with a port from 1 to 65535, or with a socket ' +
        'postgres://USER@localhost/DATABASE?host=FOLDER; in a password, write %2F for /, %23 ' +
        'for #, %3F for ? and %40 for @'
    )
  }
  const { searchParams } = parsed
  if (parsed.username === '' && !searchParams.has('user') && readUsualUser() === undefined) {
    throw new LedgerUnusableError(
      `the URL of ${place} names no user`,
      'write postgres://USER@HOST/DATABASE, or set PGUSER'
    )
  }
  for (const [name, value] of searchParams) {
    if (!Object.hasOwn(parameters, name)) throw refuseName(name, place)
    const problem = parameters[name](value)
    if (problem !== undefined) throw refuse(`${name} of ${place} ${problem}, got '${value}'`)
  }
  const mode = searchParams.get('sslmode') ?? readUsualMode()
  const problem = mode === undefined ? undefined : parameters.sslmode(mode)
  if (problem !== undefined) {
    throw new LedgerUnusableError(
      `PGSSLMODE ${problem}, got '${mode}'`,
      'correct the environment variable, or write sslmode in the URL'
    )
  }
  const file = ['sslrootcert', 'sslcert', 'sslkey'].find((name) => searchParams.has(name))
  if (mode === undefined && file !== undefined) {
    throw refuse(`${file} of ${place} needs a mode, for example sslmode=verify-full`)
  }
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    throw refuse(`sslmode=verify-ca of ${place} needs sslrootcert, a file with certificates`)
  }
}

/** Returns the URL for the driver, without what momock sets itself. */
export function writeDriverUrl (url: string): string {
  const given = new URL(url)
  const { searchParams } = given
  for (const name of ['statement_timeout', 'application_name']) searchParams.delete(name)
  const mode = searchParams.get('sslmode') ?? readUsualMode()
  if (mode !== undefined) {
    searchParams.set('sslmode', mode === noVerify ? 'require' : mode)
    // The driver would verify the certificate with any mode.
    searchParams.set('uselibpqcompat', 'true')
  }
  return given.href
}

/** Returns the user of URLs that name none. */
function readUsualUser (): string | undefined {
  const { PGUSER, USER, USERNAME } = process.env
  return PGUSER || (process.platform === 'win32' ? USERNAME : USER) || undefined
}

/** Returns the mode of encryption of URLs that name none. */
function readUsualMode (): string | undefined {
  return process.env.PGSSLMODE || undefined
}

function refuseName (name: string, place: string): LedgerUnusableError {
  return new LedgerUnusableError(
    `the URL of ${place} has the parameter ${name}, which is not known`,
    `remove it, or correct its name: ${Object.keys(parameters).join(', ')}`
  )
}

function refuse (problem: string): LedgerUnusableError {
  return new LedgerUnusableError(problem, 'correct the URL')
}

function accept (): undefined {}

function checkFile (path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK)
  } catch {
    return 'must be a file that can be read'
  }
}
