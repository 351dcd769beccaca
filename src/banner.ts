import { resolve } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from './config.ts'
import type { Server } from './server.ts'
import { version } from './version.ts'

/** What a user sees first: where it is, how to get in, and one line to paste. */
export function announce (server: Server, config: Config, scenarios: number, log: Logger, terminal: boolean): void {
  const { directory } = server.app
  const facts = {
    version,
    url: server.url,
    token: config.token,
    ledger: config.db === ':memory:' ? 'in memory, gone when it stops' : resolve(config.db),
    clock: config.clock === 'frozen' ? 'frozen until a test moves it' : 'runs with the machine',
    routes: { v2: directory.count('/v2'), v1: directory.count('/', ['/v2', '/__admin', '/health', '/checkout/', '/pay/']) },
    scenarios,
    curl: curlLine(server.url, config.token)
  }
  if (!terminal) return log.info(facts, 'momock is ready')
  process.stdout.write(`
  momock ${version}

  url        ${facts.url}
  token      ${facts.token}
  ledger     ${facts.ledger}
  clock      ${facts.clock}
  routes     ${facts.routes.v2} in v2, ${facts.routes.v1} in v1
  scenarios  ${facts.scenarios}

  try it:
  ${facts.curl}

`)
}

/** A deposit anybody can paste, as often as they like. */
function curlLine (url: string, token: string): string {
  const deposit = '{"depositId":"\'$(cat /proc/sys/kernel/random/uuid 2>/dev/null || uuidgen)\'","amount":"15","currency":"ZMW","payer":{"type":"MMO","accountDetails":{"phoneNumber":"260763456789","provider":"MTN_MOMO_ZMB"}}}'
  return `curl -s ${url}/v2/deposits -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${deposit}'`
}
