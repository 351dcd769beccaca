import type { Writable } from 'node:stream'
import { urlOf } from '../lib/url.ts'
import { systemClock } from '../lib/clock.ts'
import { paintText } from '../lib/colour.ts'
import {
  buildAccounts,
  buildConfiguredCatalogue,
  readCallbackAuthorities,
  readKeys,
  loadConfiguredScenarios,
  readTimeout
} from '../config/configured.ts'
import { checkTlsSettings } from '../config/tls-settings.ts'
import { exitCodes, type CommandInput, type RunCommand } from './command.ts'
import { checks } from './doctor-checks.ts'
import type { Finding, Setup } from './doctor-findings.ts'
import { probeServer } from './probe.ts'

const probeTimeoutMs = 2000
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
  env,
  err
}: CommandInput): Promise<Setup> {
  const config = await readConfig()
  readKeys(config)
  readTimeout(config)
  readCallbackAuthorities(config)
  checkTlsSettings(config)
  const catalogue = buildConfiguredCatalogue(config)
  await loadConfiguredScenarios(config, catalogue)
  const accounts = buildAccounts(config, catalogue)
  const urls = [...new Set(accounts.flatMap(({ callbacks = {} }) => Object.values(callbacks)))]
  if ('isTTY' in err && err.isTTY === true) err.write('  checking …\r')
  const probedAt = systemClock.now()
  const [running, ...results] = await Promise.all([
    config.port === 0
      ? Promise.resolve({})
      : probeServer(`${urlOf(config.host, config.port)}/health`, probeTimeoutMs),
    ...urls.map((url) => probeServer(url, probeTimeoutMs, 'HEAD'))
  ])
  return {
    config,
    accountCount: accounts.length,
    folder,
    searchPath: env.PATH ?? '',
    chromium: env.CHROMIUM_PATH,
    probedAt,
    running,
    receivers: new Map(urls.map((url, index) => [url, results[index]]))
  }
}

function printFinding (
  { env }: CommandInput,
  name: string,
  { verdict, what, fix }: Finding,
  out: Writable
): void {
  const label = paintText(colours[verdict], verdict.padEnd(5), out, env)
  const advice = fix === undefined ? '' : `${' '.repeat(17)}→ ${fix}\n`
  out.write(`${label} ${name.padEnd(10)} ${what}\n${advice}`)
}
