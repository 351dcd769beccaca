import { resolve } from 'node:path'
import pino from 'pino'
import { paintText, type TextStyle } from './lib/colour.ts'
import { describeDatabase, isPostgresUrl } from './lib/url.ts'
import type { Config } from './config/config.ts'
import { startSettings } from './config/configured.ts'
import { demoTokenOf } from './domain/account.ts'
import { findOpenAdmin } from './security/open-admin.ts'
import type { Server } from './server.ts'
import { systemClock } from './lib/clock.ts'
import { writeCurl } from './lib/curl.ts'
import { showText } from './lib/terminal-text.ts'
import { version } from './lib/package.ts'
import {
  describeCallbacks,
  describeClock,
  describeEarlierChanges,
  describeOutages,
  listIneffective
} from './accounts/account-state.ts'

/** Message of a started server: its address, a token, and a command to try. */

/** Content of the message. */
interface Facts {
  version: string
  /** Address it listens on. */
  url: string
  /** Address for clients, if it differs. */
  publicUrl?: string
  /** Address for HTTPS. */
  tlsUrl?: string
  /** File of the certificate that HTTPS clients must trust. */
  ca?: string
  token: string
  ledger: string
  /** State of the default account. */
  clock: string
  callbacks: string
  outages?: string
  routes: { v2: number; v1: number }
  scenarios: number
  dashboard: string
  /** Address of the API reference. */
  docs: string
  curl: string
  /** Changes of an earlier run that are still in the ledger. */
  earlier?: string
  /** Flags and settings that have no effect. */
  ineffective?: string[]
}

/**
 * Prints that the server is ready: text on a terminal, one JSON line everywhere else, and a second
 * one if everybody can control it. It ignores the log level, because users of port 0 need the
 * address. No other line shows a token.
 */
export async function printBanner (
  server: Server,
  config: Config,
  terminal: boolean
): Promise<void> {
  const facts = collectFacts(server, config, await server.app.listIgnoredOpenings())
  const open = findOpenAdmin(config)
  const warning = open && `${open.problem}; ${open.fix}`
  if (terminal) process.stdout.write(formatPage(facts, warning))
  else {
    const log = pino({ base: undefined })
    log.info(facts, 'momock is ready')
    if (warning !== undefined) log.warn(warning)
  }
}

function collectFacts (
  { app: { routeIndex, scenarioLibrary, links, accounts }, url, tls }: Server,
  config: Config,
  ignoredOpenings: string[]
): Facts {
  const now = systemClock.now()
  const { clock, settings, outages } = accounts.default
  const token = demoTokenOf(settings)
  const down = describeOutages(outages)
  const earlierChanges = describeEarlierChanges(accounts.all, config.clock, now)
  const ineffective = [
    ...listIneffective(accounts.default, startSettings(config)),
    ...ignoredOpenings
  ]
  return {
    version,
    url,
    ...(config.publicUrl !== undefined && { publicUrl: links.base }),
    ...(tls !== undefined && { tlsUrl: tls.url }),
    ...(tls?.authority !== undefined && { ca: tls.authority.files.ca }),
    token,
    ledger: describeLedger(config),
    clock: describeClock(clock, now),
    callbacks: describeCallbacks(settings),
    ...(down !== undefined && { outages: down }),
    routes: {
      v2: routeIndex.count('/v2'),
      v1: routeIndex.count('/', [
        '/v2',
        '/__admin',
        '/health',
        '/ready',
        '/static',
        '/checkout/',
        '/pay/',
        '/authorise/'
      ])
    },
    scenarios: scenarioLibrary.count,
    dashboard: `${links.base}/__admin/ui`,
    docs: `${links.base}/__admin/docs`,
    curl: formatCurl(links.base, token),
    ...(earlierChanges !== undefined && {
      earlier:
        `the ledger has changes of an earlier run: ${earlierChanges}; POST /__admin/reset ` +
        'removes them, or start with --fresh'
    }),
    ...(ineffective.length > 0 && { ineffective })
  }
}

function formatPage (ready: Facts, warning: string | undefined): string {
  const {
    url,
    publicUrl,
    tlsUrl,
    ca,
    token,
    ledger,
    clock,
    callbacks,
    outages,
    routes,
    scenarios,
    dashboard,
    docs,
    curl,
    earlier,
    ineffective = []
  } = ready
  const facts = Object.entries({
    url,
    ...(publicUrl !== undefined && { public: publicUrl }),
    ...(tlsUrl !== undefined && { https: tlsUrl }),
    ...(ca !== undefined && { trust: ca }),
    token,
    ledger,
    clock,
    callbacks,
    ...(outages !== undefined && { outages }),
    routes: `${routes.v2} in v2, ${routes.v1} in v1`,
    scenarios,
    dashboard,
    docs
  })
  const rows = facts.map(([label, value]) => {
    return `  ${paint('dim', label.padEnd(10))} ${showText(String(value))}\n`
  })
  return `
  ${paint('bold', `momock ${version}`)}

${rows.join('')}
  Try it:
  ${paint('cyan', showText(curl))}
${[
  formatNote('Note', earlier),
  ...ineffective.map((text) => formatNote('Note', text)),
  formatNote('Warning', warning)
].join('')}
  ${paint('dim', 'Press Ctrl-C to stop.')}

`
}

function formatNote (label: string, text: string | undefined): string {
  return text === undefined ? '' : `\n  ${paint('yellow', `${label}: ${showText(text)}.`)}\n`
}

function paint (style: TextStyle, text: string): string {
  return paintText(style, text, process.stdout, process.env)
}

/** Returns the place of the ledger, without a password. */
function describeLedger ({ db }: Config): string {
  if (db === ':memory:') return 'in memory, lost when the server stops'
  return isPostgresUrl(db) ? describeDatabase(db) : resolve(db)
}

/** Prints where the ledger is kept, when the server has stopped. */
export function printEnd (config: Config): void {
  const place = describeLedger(config)
  process.stdout.write(
    config.db === ':memory:'
      ? '\n  Stopped. The ledger was in memory and is gone; --db FILE keeps one.\n'
      : `\n  Stopped. The ledger is kept in ${place}; the next start continues with it, ` +
          'and --fresh deletes it.\n'
  )
}

/** Returns a command that makes a deposit with a new identifier each time. */
function formatCurl (url: string, token: string): string {
  const payer = {
    type: 'MMO',
    accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
  }
  const deposit = { depositId: 'NEW_ID', amount: '15.00', currency: 'ZMW', payer }
  const request = {
    method: 'POST',
    url: `${url}/v2/deposits`,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(deposit)
  }
  const newId = "'$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)'"
  return writeCurl(request, { separator: ' ' }).replace('NEW_ID', () => newId)
}
