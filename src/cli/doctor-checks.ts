import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  describeCallbacks,
  describeClock,
  describeEarlierChanges,
  describeOutages,
  type KeptState,
  listIgnoredOpenings,
  listIneffective
} from '../accounts/account-state.ts'
import { MomockClient, MomockError } from '../client/client.ts'
import { type Config, ConfigError } from '../config/config.ts'
import { buildAccounts, chooseClientToken, startSettings } from '../config/configured.ts'
import { type Account, effectiveSettings } from '../domain/account.ts'
import type { OpeningBalance } from '../domain/money.ts'
import { type Clock, frozenClock, runningClock, systemClock } from '../lib/clock.ts'
import { describeDatabase, isPostgresUrl, showUrl, urlOf } from '../lib/url.ts'
import { findOpenAdmin } from '../security/open-admin.ts'
import { AuthorityError, authorityFiles, checkNames, readAuthority } from '../tls/authority.ts'
import { findTlsFolder, listCertificateNames } from '../tls/names.ts'
import { isMomock, type ProbeResult } from './probe.ts'

/** The checks of `momock doctor`, as rows. They change nothing. */

/** Result of a check. */
export interface Finding {
  verdict: 'ok' | 'warn' | 'fail'
  what: string
  /** Advice for the user. */
  fix?: string
}

/** Input of the checks: settings, and the answers at the address and the callback URLs. */
export interface Setup {
  config: Config
  accountCount: number
  /** Folder that relative paths start from. */
  folder: string
  /** System time of the probes. */
  probedAt: number
  running: ProbeResult
  receivers: Map<string, ProbeResult>
  /** Used accounts, those of the running momock or of the ledger; an error if it refused. */
  states: UsedAccount[] | MomockError
}

/** State of an account, with the settings that are in force. */
export interface UsedAccount extends KeptState, Pick<Account, 'settings'> {
  /** Opening balances of its used wallets, if they are known. */
  openings?: OpeningBalance[]
}

type Check = (setup: Setup) => Promise<Finding[]>

/** Tolerated clock difference: a signature is valid for 60 s, and never before its creation. */
const skewMs = { warn: 2000, fail: 30_000 } as const

/** Checks in the order of the output. */
export const checks: Record<string, Check> = {
  port: checkPort,
  tls: checkTls,
  ledger: checkLedger,
  state: checkState,
  admin: checkAdmin,
  callbacks: checkCallbacks,
  clock: checkClock
}

const reset = 'POST /__admin/reset removes the changes, or start with --fresh'

async function checkPort ({ config, running }: Setup): Promise<Finding[]> {
  const { host, port } = config
  if (isMomock(running)) {
    return [{ verdict: 'ok', what: `a momock is running at ${urlOf(host, port)}` }]
  }
  return [await checkAddress({ host, port }, 'the server', '--port')]
}

async function checkLedger ({ config, folder, running }: Setup): Promise<Finding[]> {
  const { db } = config
  if (db === ':memory:') {
    return [{ verdict: 'ok', what: 'the ledger is in memory and is lost when the server stops' }]
  }
  const isDatabase = isPostgresUrl(db)
  const path = isDatabase ? db : resolve(folder, db)
  if (!isDatabase && !existsSync(path)) return [checkNewFile(path, '--db')]
  const { findLedgerProblem, tryLedger } = await import('../app.ts')
  // A check must not create the tables of a database.
  const error = await (isDatabase ? findLedgerProblem(path) : tryLedger(path))
  const place = isDatabase ? describeDatabase(path) : path
  if (error === undefined) return [{ verdict: 'ok', what: `${place} can be opened` }]
  // A momock runs with these settings, so it is the process that uses the ledger.
  if (isMomock(running) && error.inUse) {
    return [{ verdict: 'ok', what: `${place} is in use, probably by the running momock` }]
  }
  const { problem, fix = 'choose another file with --db' } = error
  return [{ verdict: 'fail', what: problem, fix }]
}

async function checkAdmin ({ config }: Setup): Promise<Finding[]> {
  const open = findOpenAdmin(config)
  if (open !== undefined) return [{ verdict: 'warn', what: open.problem, fix: open.fix }]
  const what =
    config.adminToken === undefined
      ? 'only this machine can reach the admin API'
      : 'the admin API requires the admin token'
  return [{ verdict: 'ok', what }]
}

async function checkCallbacks ({ config, receivers, running }: Setup): Promise<Finding[]> {
  if (receivers.size === 0) {
    const what = 'no account has a callback URL; MOMOCK_CALLBACK_URL sets one for all kinds'
    return [{ verdict: 'ok', what }]
  }
  const ownSinks = `${urlOf(config.host, config.port)}/__admin/sink/`
  return [...receivers].map(([url, { status, problem, code }]): Finding => {
    if (url.startsWith(ownSinks) && !isMomock(running)) {
      return { verdict: 'ok', what: `${showUrl(url)} is a sink of the momock that will run here` }
    }
    if (problem === undefined) {
      return { verdict: 'ok', what: `${showUrl(url)} answers (${status} to HEAD)` }
    }
    const isUnknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN'
    return {
      verdict: isUnknown ? 'fail' : 'warn',
      what: `${showUrl(url)}: ${problem}`,
      fix: isUnknown
        ? 'correct the name; inside a container the host is host.docker.internal'
        : 'start your server, or correct the URL; callbacks are retried for 15 minutes'
    }
  })
}

async function checkClock ({ probedAt, running, receivers }: Setup): Promise<Finding[]> {
  const own = isMomock(running) ? [['the running momock', running] as const] : []
  const dated = [...receivers, ...own].filter(([, { date }]) => date !== undefined)
  if (dated.length === 0) {
    return [{ verdict: 'ok', what: 'no other server answered, so no clock was compared' }]
  }
  return dated.map(([server, { date = '' }]): Finding => {
    // The header has whole seconds, so a difference of up to one second means nothing.
    const skew = Date.parse(date) - Math.floor(probedAt / 1000) * 1000
    const size = Math.abs(skew)
    const verdict = size > skewMs.fail ? 'fail' : size > skewMs.warn ? 'warn' : 'ok'
    const clock = `the clock of ${showUrl(server)}`
    if (verdict === 'ok') return { verdict, what: `${clock} agrees with ours` }
    return {
      verdict,
      what:
        `${clock} is ${Math.round(size / 1000)} s ` +
        `${skew > 0 ? 'ahead of' : 'behind'} ours`,
      fix:
        'synchronise both clocks (timedatectl set-ntp true): a signature is valid for 60 s, and ' +
        'never before its creation'
    }
  })
}

/** Checks the TLS listener: its port and its certificate. Changes nothing. */
async function checkTls ({ config, folder, running }: Setup): Promise<Finding[]> {
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

/** Reads the accounts of the running momock, or of the ledger. Returns an error of the momock. */
export async function readStates (
  place: Pick<Setup, 'config' | 'folder'>,
  isRunning: boolean
): Promise<UsedAccount[] | MomockError> {
  try {
    return isRunning ? [await askRunning(place)] : await readStopped(place)
  } catch (error) {
    if (error instanceof MomockError) return error
    throw error
  }
}

/** Shows the state of a used ledger: clock, callback URLs, outages and changed settings. */
async function checkState ({ config, states }: Setup): Promise<Finding[]> {
  if (states instanceof MomockError) {
    const advice =
      'set a token of the running momock with --token, and its admin token with --admin-token'
    return [{ verdict: 'warn', what: `the state cannot be read: ${states.message}`, fix: advice }]
  }
  const [first] = states
  if (first === undefined) {
    const what = isPostgresUrl(config.db)
      ? 'the state of a ledger in PostgreSQL is shown while momock runs on this port'
      : 'the ledger is new'
    return [{ verdict: 'ok', what }]
  }
  const now = systemClock.now()
  const changes = describeEarlierChanges(states, config.clock, now)
  const outages = describeOutages(first.outages)
  return [
    { verdict: 'ok', what: `the clock: ${describeClock(first.clock, now)}` },
    { verdict: 'ok', what: `callbacks: ${describeCallbacks(first.settings)}` },
    ...(outages === undefined
      ? []
      : [{ verdict: 'warn' as const, what: `outages: ${outages}`, fix: reset }]),
    ...(changes === undefined ? [] : [{ verdict: 'warn' as const, what: changes, fix: reset }]),
    ...states.flatMap(({ name, setAside }): Finding[] => {
      if (setAside === undefined) return []
      const what = `account '${name}' is set aside, because it cannot be read: ${setAside}`
      return [{ verdict: 'warn', what, fix: 'POST /__admin/reset with its token empties it' }]
    }),
    ...[
      ...listIneffective(first, startSettings(config)),
      ...states.flatMap((state) => listIgnoredOpenings(state, state.openings ?? []))
    ].map((what): Finding => ({ verdict: 'warn', what }))
  ]
}

/** Asks the running momock for the state of the account of the token. */
async function askRunning ({ config }: Pick<Setup, 'config'>): Promise<UsedAccount> {
  const { adminToken } = config
  const client = new MomockClient(
    urlOf(config.host, config.port),
    chooseClientToken(config),
    adminToken === undefined ? {} : { adminToken }
  )
  const [account, clock, providers] = await Promise.all([
    client.account(),
    client.clock(),
    client.providers()
  ])
  return {
    name: account.name,
    settings: account.settings,
    patched: Object.fromEntries(account.patched.map((name) => [name, null])),
    clock: readClock(clock.mode, Date.parse(clock.now), clock.speed),
    outages: new Map(
      providers.map(({ provider, operationTypes }) => [provider, operationTypes] as const)
    )
  }
}

function readClock (mode: Clock['mode'], now: number, speed: number): Clock {
  if (mode === 'frozen') return frozenClock(now)
  return { ...runningClock(), base: now, since: systemClock.now(), speed }
}

/** Reads the ledger of a momock that does not run. */
async function readStopped ({
  config,
  folder
}: Pick<Setup, 'config' | 'folder'>): Promise<UsedAccount[]> {
  const path = resolve(folder, config.db)
  if (config.db === ':memory:' || isPostgresUrl(config.db) || !existsSync(path)) return []
  const { readLedgerAccounts, tryLedger } = await import('../app.ts')
  // The check of the ledger reports an unusable one.
  if ((await tryLedger(path)) !== undefined) return []
  const configured = buildAccounts(config)
  const kept = await readLedgerAccounts(path)
  return kept
    .map((state) => {
      const base = configured.find(({ name }) => name === state.name)
      return { ...state, settings: effectiveSettings(base ?? { name: state.name }, state.patched) }
    })
    .sort((one, other) => Number(other.name === 'default') - Number(one.name === 'default'))
}

/** Checks that a listener can use its address. */
async function checkAddress (
  address: { host: string; port: number },
  listener: string,
  flag: string
): Promise<Finding> {
  const { host, port } = address
  const { explainAddress, tryListening } = await import('../lib/address.ts')
  const error = await tryListening(address)
  if (error === undefined) {
    const what =
      port === 0
        ? `${listener} will use any free port of ${host}`
        : `port ${port} of ${host} is free`
    return { verdict: 'ok', what }
  }
  const { problem, fix } = explainAddress(address, error, flag)
  return { verdict: 'fail', what: problem, fix }
}

/** Checks that a file can be created. Tries to write, because permissions do not tell all. */
function checkNewFile (path: string, flag: string): Finding {
  let folder = dirname(path)
  // A drive of Windows can be missing: the parent of a root is itself.
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  try {
    rmSync(mkdtempSync(join(folder, '.momock-')), { recursive: true })
    return { verdict: 'ok', what: `the first start will create ${path}` }
  } catch {
    return {
      verdict: 'fail',
      what: `${path} cannot be created: this user cannot write in ${folder}`,
      fix: `choose another place with ${flag}, or change the owner: chown $(id -u) ${folder}`
    }
  }
}
