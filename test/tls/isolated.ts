import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { serviceHosts } from '../../src/domain/service-hosts.ts'
import { findBuiltProgram } from '../support/built-program.ts'
import { folder } from '../support/helper.ts'
import { slow } from '../support/limits.ts'
import { startProgram, type Outcome } from '../support/program.ts'

/**
 * A network of its own, where the hosts of the service lead to a mock on port 443: clients run as
 * they are, with their hard-coded hosts. It needs namespaces of Linux, but no special user.
 */

/** Starts the mock, waits until it is ready, runs the commands, and stops it. */
const script = `
set -u
ip link set lo up && mount --bind "$WORK/hosts" /etc/hosts || exit 90
cd "$WORK"
"$NODE" "$MAIN" --port 7070 --tls-port 443 --db :memory: --tls-dir "$WORK/tls" > ready.log 2>&1 &
mock=$!
until grep -q 'momock is ready' ready.log; do
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

/** Runs shell commands beside a mock in a network of their own. */
export async function runIsolated (
  t: Test,
  commands: string,
  settings: Record<string, string> = {}
): Promise<Outcome> {
  const work = folder(t)
  writeFileSync(join(work, 'hosts'), `127.0.0.1 localhost ${serviceHosts.join(' ')}\n`)
  const env = [
    `PATH=${process.env.PATH ?? ''}`,
    `HOME=${work}`,
    `NODE=${process.execPath}`,
    `MAIN=${findBuiltProgram()}`,
    `WORK=${work}`,
    `COMMANDS=${commands}`,
    ...Object.entries(settings).map(([name, value]) => `${name}=${value}`)
  ]
  // Through `env`, because tap adds its own loader to Node processes.
  const args = ['-i', ...env, 'unshare', '-r', '-n', '-m', 'sh', '-c', script]
  return await startProgram(t, ['env', ...args]).end(slow.timeout)
}
