import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { root } from '../docs/markdown.ts'
import { startProgram } from './program.ts'
import { freePort } from './ports.ts'
import { until } from './helper.ts'

/** The load balancer of examples/replicas. */

/** Debian installs it in a folder that only root has in its path. */
const path = `${process.env.PATH}:/usr/sbin`
const isInstalled = checkBalancer(['-v']).status === 0
const isRequired = process.env.POSTGRES_TESTS === 'required'

/** Options of a test that needs the load balancer. */
export const balancerOptions: { skip: string | false } = {
  skip: isInstalled || isRequired ? false : 'HAProxy is not installed'
}

/** Runs the balancer until it ends by itself. */
export function checkBalancer (args: string[]): SpawnSyncReturns<string> {
  return spawnSync('haproxy', args, { encoding: 'utf8', env: { PATH: path } })
}

/** Starts the balancer for three servers, and returns its URL when a server is ready. */
export async function startBalancer (t: Test, ports: readonly number[]): Promise<string> {
  const port = await freePort()
  const env: NodeJS.ProcessEnv = { PATH: path, BALANCER: `127.0.0.1:${port}` }
  for (const [i, one] of ports.entries()) env[`MOMOCK_${i + 1}`] = `127.0.0.1:${one}`
  const configuration = join(root, 'examples/replicas/haproxy.cfg')
  startProgram(t, ['haproxy', '-db', '-f', configuration], { env })
  const url = `http://127.0.0.1:${port}`
  await until(
    () =>
      fetch(`${url}/ready`).then(
        ({ ok }) => ok,
        () => false
      ),
    (isReady) => isReady
  )
  return url
}
