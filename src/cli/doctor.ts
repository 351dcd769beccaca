import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Writable } from 'node:stream'
import { delimiter, dirname, join, resolve } from 'node:path'
import { styleText } from 'node:util'
import { urlOf, withoutPassword } from '../lib/url.ts'
import { isOpen, openWarning } from '../banner.ts'
import { systemClock } from '../lib/clock.ts'
import type { Config } from '../config/config.ts'
import {
  buildAccounts,
  buildConfiguredCatalogue,
  readKeys,
  loadConfiguredScenarios,
  readTimeout
} from '../config/configured.ts'
import { exitCodes, type RunCommand } from './command.ts'
import { probe, isMomock, type ProbeResult } from './probe.ts'

/**
 * `momock doctor`: looks at what a server needs around it. It changes nothing that a start would
 * not.
 */

export interface Finding {
  verdict: 'ok' | 'warn' | 'fail'
  what: string
  /** What to do about it. */
  fix?: string
}

/**
 * What the checks share: the settings, who answers at the address, and who at the callback URLs.
 */
interface Scene {
  config: Config
  /** What paths start from, and where programs are. */
  folder: string
  path: string
  chromium: string | undefined
  /** When the others were asked. */
  asked: number
  running: ProbeResult
  receivers: Map<string, ProbeResult>
}

type Check = (scene: Scene) => Promise<Finding[]>

const patienceMs = 2000
/** A signed callback is good for a minute, and a signature of the future is refused at once. */
const skewMs = { warn: 2000, fail: 30_000 } as const
const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** In the order they are told. */
const checks: Record<string, Check> = {
  port: checkPort,
  ledger: checkLedger,
  admin: checkAdmin,
  callbacks: checkCallbacks,
  clock: checkClock,
  chromium: checkChromium
}

export const run: RunCommand = async ({ config: read, folder, env, out, err }) => {
  const config = await read()
  // What the file says can be well written and still not fit together; a start would refuse it as
  // well.
  readKeys(config)
  readTimeout(config)
  const catalogue = buildConfiguredCatalogue(config)
  await loadConfiguredScenarios(config, catalogue)
  const accounts = buildAccounts(config, catalogue)
  const urls = [...new Set(accounts.flatMap(({ callbacks = {} }) => Object.values(callbacks)))]
  tell(out, 'config', {
    verdict: 'ok',
    what:
      `${accounts.length} ${accounts.length === 1 ? 'account' : 'accounts'}, ${urls.length} ` +
      `callback ${urls.length === 1 ? 'URL' : 'URLs'}`
  })
  if ('isTTY' in err && err.isTTY === true) err.write('  asking around …\r')
  const asked = systemClock.now()
  const [running, ...visits] = await Promise.all([
    config.port === 0
      ? Promise.resolve({})
      : probe(`${urlOf(config.host, config.port)}/health`, patienceMs),
    ...urls.map((url) => probe(url, patienceMs, 'HEAD'))
  ])
  const scene: Scene = {
    config,
    folder,
    path: env.PATH ?? '',
    chromium: env.CHROMIUM_PATH,
    asked,
    running,
    receivers: new Map(urls.map((url, index) => [url, visits[index]]))
  }
  let code: number = exitCodes.fine
  for (const [name, check] of Object.entries(checks)) {
    for (const finding of await check(scene)) {
      tell(out, name, finding)
      if (finding.verdict === 'fail') code = exitCodes.failed
    }
  }
  return code
}

function tell (out: Writable, name: string, { verdict, what, fix }: Finding): void {
  const painted = styleText(colours[verdict], verdict.padEnd(5), { stream: out })
  out.write(
    `${painted} ${name.padEnd(10)} ` +
      `${what}\n${fix === undefined ? '' : `${' '.repeat(17)}→ ${fix}\n`}`
  )
}

async function checkPort ({ config, running }: Scene): Promise<Finding[]> {
  if (isMomock(running)) {
    return [{ verdict: 'ok', what: `a momock is running at ${urlOf(config.host, config.port)}` }]
  }
  const error = await listen(config)
  if (error === undefined) {
    return [
      {
        verdict: 'ok',
        what:
          config.port === 0
            ? `a free port of ${config.host} will be picked`
            : `port ${config.port} of ${config.host} is free`
      }
    ]
  }
  const { explainAddress: whyUnusable } = await import('../server.ts')
  const [what, fix] = whyUnusable(config, error).split('; ')
  return [{ verdict: 'fail', what, fix }]
}

function listen ({ host, port }: Config): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', resolve)
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

async function checkLedger ({ config: { db }, folder, running }: Scene): Promise<Finding[]> {
  if (db === ':memory:') {
    return [{ verdict: 'ok', what: 'it is kept in memory, and gone when the server stops' }]
  }
  const path = resolve(folder, db)
  if (!existsSync(path)) return [await whereItWillBe(path)]
  const { tryLedger } = await import('../app.ts')
  try {
    tryLedger(path)
    return [{ verdict: 'ok', what: `${path} can be opened` }]
  } catch (error) {
    const [what, ...fix] = (error as Error).message.split('; ')
    // In use, and a momock is running where these settings say: it is that one.
    if (isMomock(running) && what.includes('in use')) {
      return [
        { verdict: 'ok', what: `${path} is in use, by the momock that is running as it seems` }
      ]
    }
    return [{ verdict: 'fail', what, fix: fix.join('; ') || 'name another file with --db' }]
  }
}

/**
 * Can a file be made there, and the folders on the way to it? Tried, because permissions do not say
 * it all.
 */
async function whereItWillBe (path: string): Promise<Finding> {
  let folder = dirname(path)
  while (!existsSync(folder)) folder = dirname(folder)
  try {
    rmSync(mkdtempSync(join(folder, '.momock-')), { recursive: true })
    return { verdict: 'ok', what: `${path} will be made by the first start` }
  } catch {
    return {
      verdict: 'fail',
      what: `${path} cannot be made: nothing can be written in ${folder} by this user`,
      fix: `name a file elsewhere with --db, or give the folder away: chown $(id -u) ${folder}`
    }
  }
}

async function checkAdmin ({ config }: Scene): Promise<Finding[]> {
  if (!isOpen(config)) {
    return [
      {
        verdict: 'ok',
        what:
          config.adminToken === undefined
            ? 'only this machine can steer the mock'
            : 'steering needs the admin token'
      }
    ]
  }
  const [what, fix] = openWarning(config).split('; ')
  return [{ verdict: 'warn', what, fix }]
}

async function checkCallbacks ({ receivers, running }: Scene): Promise<Finding[]> {
  if (receivers.size === 0) {
    return [
      {
        verdict: 'ok',
        what:
          'no account of these settings has a callback URL; MOMOCK_CALLBACK_URL sets one for ' +
          'all ' +
          `kinds${isMomock(running) ? ' (the momock that is running may have others: GET /__admin/account)' : ''}`
      }
    ]
  }
  return [...receivers].map(([url, { status, problem, code }]): Finding => {
    if (problem === undefined) {
      return { verdict: 'ok', what: `${withoutPassword(url)} answers (${status} to HEAD)` }
    }
    const unknown = code === 'ENOTFOUND' || code === 'EAI_AGAIN'
    return {
      verdict: unknown ? 'fail' : 'warn',
      what: `${withoutPassword(url)}: ${problem}`,
      fix: unknown
        ? 'mend the name; from inside a container the host is host.docker.internal'
        : 'start your server, or mend the URL; callbacks are tried again for a quarter of an hour'
    }
  })
}

async function checkClock ({ asked, running, receivers }: Scene): Promise<Finding[]> {
  const ours = isMomock(running) ? [['the running momock', running] as const] : []
  const others = [...receivers, ...ours].filter(([, { date }]) => date !== undefined)
  if (others.length === 0) {
    return [{ verdict: 'ok', what: 'nobody answered whose clock could be compared with ours' }]
  }
  return others.map(([who, { date = '' }]): Finding => {
    // The header has whole seconds, so up to one of them is no difference.
    const skew = Date.parse(date) - Math.floor(asked / 1000) * 1000
    const size = Math.abs(skew)
    const verdict = size > skewMs.fail ? 'fail' : size > skewMs.warn ? 'warn' : 'ok'
    if (verdict === 'ok') return { verdict, what: `the clock of ${who} agrees with ours` }
    return {
      verdict,
      what:
        `the clock of ${who} is ${Math.round(size / 1000)} s ` +
        `${skew > 0 ? 'ahead of' : 'behind'} ours`,
      fix:
        'set both by the network (timedatectl set-ntp true): signatures expire after 60 s, and ' +
        'are not good before they were made'
    }
  })
}

async function checkChromium ({ path, chromium }: Scene): Promise<Finding[]> {
  if (chromium !== undefined && !existsSync(chromium)) {
    return [
      {
        verdict: 'warn',
        what: `CHROMIUM_PATH is ${chromium}, and there is no such file`,
        fix: 'mend it, or leave it out'
      }
    ]
  }
  if (chromium !== undefined) {
    return [{ verdict: 'ok', what: `${chromium} can drive the customer pages in tests` }]
  }
  const places = path.split(delimiter).filter((folder) => folder !== '')
  const found = places
    .flatMap((folder) => browsers.map((name) => join(folder, name)))
    .find((file) => existsSync(file))
  if (found !== undefined) {
    return [{ verdict: 'ok', what: `${found} can drive the customer pages in tests` }]
  }
  return [
    {
      verdict: 'warn',
      what:
        'there is none; the server does not need it, but tests that drive the customer pages ' +
        'in a browser do',
      fix: 'apt-get install chromium, or what your system calls it'
    }
  ]
}
