import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { serviceHosts } from '../../src/domain/service-hosts.ts'
import { findBuiltProgram } from './built-program.ts'
import { folder } from './helper.ts'
import { slow } from './limits.ts'
import { startProgram, type Outcome } from './program.ts'

/**
 * A network of its own, with hosts of its own: a mock on port 443 is the service for clients with
 * hard-coded hosts, or the services of a compose file find each other by their names. It needs
 * namespaces of Linux, but no special user.
 */

/** Starts the mock, waits until it is ready, runs the commands, and stops it. */
const script = `
set -u
ip link set lo up && mount --bind "$WORK/hosts" /etc/hosts || exit 90
cd "$WORK"
"$NODE" "$MAIN" $FLAGS > ready.log 2>&1 &
mock=$!
until grep -q -e 'momock is ready' -e 'Ctrl-C' ready.log; do
  kill -0 $mock 2>/dev/null || { cat ready.log >&2; exit 91; }
  sleep 0.05
done
momock () { "$NODE" "$MAIN" "$@"; }
eval "$COMMANDS"
code=$?
kill $mock
wait $mock
exit $code
`

/** Tells why there can be no such network here; undefined if there can be one. */
export function whyNoNetwork (): string | undefined {
  try {
    execFileSync('unshare', ['-r', '-n', '-m', 'ip', 'link', 'set', 'lo', 'up'], {
      stdio: 'ignore'
    })
  } catch {
    return 'this machine has no user and network namespaces (unshare -r -n -m, ip)'
  }
}

/**
 * Runs shell commands beside a mock in a network of their own. Without other flags and hosts, the
 * mock is the service with HTTPS.
 */
export async function runIsolated (
  t: Test,
  commands: string,
  settings: Record<string, string> = {},
  {
    flags = '--port 7070 --tls-port 443 --db :memory: --tls-dir tls',
    hosts = serviceHosts
  }: { flags?: string; hosts?: readonly string[] } = {}
): Promise<Outcome> {
  const work = folder(t)
  writeFileSync(join(work, 'hosts'), `127.0.0.1 localhost ${hosts.join(' ')}\n`)
  const env = [
    `PATH=${process.env.PATH ?? ''}`,
    `HOME=${work}`,
    `NODE=${process.execPath}`,
    `MAIN=${findBuiltProgram()}`,
    `WORK=${work}`,
    `COMMANDS=${commands}`,
    `FLAGS=${flags}`,
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  ]
  // Through `env`, because tap adds its own loader to Node processes.
  const args = ['-i', ...env, 'unshare', '-r', '-n', '-m', 'sh', '-c', script]
  return await startProgram(t, ['env', ...args]).end(slow.timeout)
}
