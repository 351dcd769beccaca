import { existsSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { describeDatabase, isPostgresUrl, urlOf, showUrl } from '../lib/url.ts'
import { findOpenAdmin } from '../security/open-admin.ts'
import { checkAddress, checkNewFile, type Finding, type Setup } from './doctor-findings.ts'
import { checkState } from './doctor-state.ts'
import { checkTls } from './doctor-tls.ts'
import { isMomock } from './probe.ts'

type Check = (setup: Setup) => Promise<Finding[]>

/** Tolerated clock difference: a signature is valid for 60 s, and never before its creation. */
const skewMs = { warn: 2000, fail: 30_000 } as const
const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

/** Checks in the order of the output. */
export const checks: Record<string, Check> = {
  port: checkPort,
  tls: checkTls,
  ledger: checkLedger,
  state: checkState,
  admin: checkAdmin,
  callbacks: checkCallbacks,
  clock: checkClock,
  chromium: checkChromium
}

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

async function checkChromium ({ searchPath, chromium }: Setup): Promise<Finding[]> {
  if (chromium !== undefined && !existsSync(chromium)) {
    return [
      {
        verdict: 'warn',
        what: `CHROMIUM_PATH is ${chromium}, but this file does not exist`,
        fix: 'correct CHROMIUM_PATH, or remove it'
      }
    ]
  }
  const folders = searchPath.split(delimiter).filter((folder) => folder !== '')
  const found =
    chromium ??
    folders
      .flatMap((folder) => browsers.map((name) => join(folder, name)))
      .find((file) => existsSync(file))
  if (found !== undefined) {
    return [{ verdict: 'ok', what: `${found} can test the customer pages` }]
  }
  return [
    {
      verdict: 'warn',
      what: 'chromium is not installed; only browser tests of the customer pages need it',
      fix: 'apt-get install chromium, or the package of your system'
    }
  ]
}
