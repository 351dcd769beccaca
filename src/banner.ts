import { resolve } from 'node:path'
import { styleText } from 'node:util'
import pino from 'pino'
import { isLoopback } from './lib/url.ts'
import type { Config } from './config/config.ts'
import { demoToken } from './config/configured.ts'
import type { Server } from './server.ts'
import { version } from './lib/version.ts'

/** What a user sees first: where it is, how to get in, and one line to paste. */

interface Facts {
  version: string
  /** Where it listens. */
  url: string
  /** Where others reach it, when that is elsewhere. */
  publicUrl?: string
  token: string
  ledger: string
  clock: string
  routes: { v2: number; v1: number }
  scenarios: number
  /** The page that describes every route. */
  docs: string
  curl: string
  warning?: string
}

/**
 * Says that the server is ready: a page on a terminal, one JSON line everywhere else. It is said at
 * every log level, for who asked for any free port must learn which; and it is the one line that
 * shows a token.
 */
export function printBanner (server: Server, config: Config, terminal: boolean): void {
  const facts = factsOf(server, config)
  if (terminal) process.stdout.write(page(facts))
  else pino({ base: undefined }).info(facts, 'momock is ready')
}

function factsOf (
  { app: { routeIndex, scenarioLibrary, links }, url }: Server,
  config: Config
): Facts {
  const token = demoToken(config)
  return {
    version,
    url,
    ...(config.publicUrl !== undefined && { publicUrl: links.base }),
    token,
    ledger: config.db === ':memory:' ? 'in memory, gone when it stops' : resolve(config.db),
    clock: config.clock === 'frozen' ? 'frozen until a test moves it' : 'runs with the machine',
    routes: {
      v2: routeIndex.count('/v2'),
      v1: routeIndex.count('/', [
        '/v2',
        '/__admin',
        '/health',
        '/static',
        '/checkout/',
        '/pay/',
        '/authorise/'
      ])
    },
    scenarios: scenarioLibrary.count,
    docs: `${links.base}/__admin/docs`,
    curl: curlLine(links.base, token),
    ...(isOpen(config) && { warning: openWarning(config) })
  }
}

function page ({
  url,
  publicUrl,
  token,
  ledger,
  clock,
  routes,
  scenarios,
  docs,
  curl,
  warning
}: Facts): string {
  const rows = Object.entries({
    url,
    ...(publicUrl !== undefined && { public: publicUrl }),
    token,
    ledger,
    clock,
    routes: `${routes.v2} in v2, ${routes.v1} in v1`,
    scenarios,
    docs
  })
  return `
  ${paint('bold', `momock ${version}`)}

${rows.map(([label, value]) => `  ${paint('dim', label.padEnd(10))} ${value}\n`).join('')}
  Try it:
  ${paint('cyan', curl)}
${warning === undefined ? '' : `\n  ${paint('yellow', `Careful: ${warning}.`)}\n`}
  ${paint('dim', 'Ctrl-C stops it.')}

`
}

/** Colours only where the terminal has them and the user has not asked for none. */
function paint (style: 'bold' | 'dim' | 'cyan' | 'yellow', text: string): string {
  return styleText(style, text, { stream: process.stdout })
}

/** Can somebody from outside this machine reach the admin API without a token? */
export function isOpen ({ host, adminToken }: Config): boolean {
  return adminToken === undefined && !isLoopback(host)
}

export function openWarning ({ host }: Config): string {
  return (
    `everybody who can reach ${host} can steer this mock; set MOMOCK_ADMIN_TOKEN to keep the ` +
    'admin API to yourself'
  )
}

/** A deposit anybody can paste, as often as they like: each has a new identifier. */
function curlLine (url: string, token: string): string {
  const deposit =
    '{"depositId":"\'$(cat /proc/sys/kernel/random/uuid 2>/dev/null || ' +
    'uuidgen)\'","amount":"15","currency":"ZMW","payer":{"type":"MMO","accountDetails":{"phoneNumber":"260763456789","provider":"MTN_MOMO_ZMB"}}}'
  const header = `Authorization: Bearer ${token}`.replaceAll("'", "'\\''")
  return (
    `curl -s ${url}/v2/deposits -H '${header}' -H 'Content-Type: application/json' -d ` +
    `'${deposit}'`
  )
}
