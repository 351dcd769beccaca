import type { Writable } from 'node:stream'
import { urlOf } from '../lib/url.ts'
import { systemClock } from '../lib/clock.ts'
import { paintText } from '../lib/colour.ts'
import { showText } from '../lib/terminal-text.ts'
import { ConfigError } from '../config/config.ts'
import type { AccountSettings } from '../domain/account-settings.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { findStartProblems } from './config-checks.ts'
import { checks, readStates } from './doctor-checks.ts'
import type { Finding, Setup, UsedAccount } from './doctor-checks.ts'
import { isMomock, probeServer } from './probe.ts'

const probeTimeoutMs = 2000
/** Most callback URLs that are probed. */
const mostProbes = 20
const colours = { ok: 'green', warn: 'yellow', fail: 'red' } as const

/** `momock doctor`: checks the surroundings of a server. It changes nothing. */
export const run: RunCommand = async (input) => {
  const { out } = input
  const setup = await inspectSetup(input)
  const accounts = setup.accountCount
  const urls = setup.receivers.size
  printFinding(
    input,
    'config',
    {
      verdict: 'ok',
      what:
        `${accounts} ${accounts === 1 ? 'account' : 'accounts'}, ${urls} ` +
        `callback ${urls === 1 ? 'URL' : 'URLs'}`
    },
    out
  )
  let code: number = exitCodes.fine
  for (const [name, check] of Object.entries(checks)) {
    for (const finding of await check(setup)) {
      printFinding(input, name, finding, out)
      if (finding.verdict === 'fail') code = exitCodes.failed
    }
  }
  return code
}

/** Reads the settings, with all checks of a start, and probes the address and the callback URLs. */
async function inspectSetup ({
  config: readConfig,
  folder,
  err
}: CommandInput): Promise<Setup> {
  const config = await readConfig()
  const { problems, accounts = [] } = await findStartProblems(config)
  if (problems.length > 0) throw new ConfigError(problems)
  if ('isTTY' in err && err.isTTY === true) err.write('  checking …\r')
  const probedAt = systemClock.now()
  const running =
    config.port === 0
      ? {}
      : await probeServer(`${urlOf(config.host, config.port)}/health`, probeTimeoutMs)
  const states = await readStates({ config, folder }, isMomock(running))
  const urls = listCallbackUrls(accounts, Array.isArray(states) ? states : [])
  const results = await Promise.all(urls.map((url) => probeServer(url, probeTimeoutMs, 'HEAD')))
  return {
    config,
    accountCount: accounts.length,
    folder,
    probedAt,
    running,
    states,
    receivers: new Map(urls.map((url, index) => [url, results[index]]))
  }
}

/** Lists the callback URLs in force. Changes of a used account override its configuration. */
function listCallbackUrls (
  configured: readonly AccountSettings[],
  used: readonly UsedAccount[]
): string[] {
  const unused = configured.filter((account) => !used.some(({ name }) => name === account.name))
  const inForce = [...used.map(({ settings }) => settings), ...unused]
  const urls = inForce.flatMap(({ callbacks = {} }) => Object.values(callbacks))
  return [...new Set(urls)].slice(0, mostProbes)
}

function printFinding (
  { env }: CommandInput,
  name: string,
  { verdict, what, fix }: Finding,
  out: Writable
): void {
  const label = paintText(colours[verdict], verdict.padEnd(5), out, env)
  const advice = fix === undefined ? '' : `${' '.repeat(17)}→ ${showText(fix)}\n`
  out.write(`${label} ${name.padEnd(10)} ${showText(what)}\n${advice}`)
}
