import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { folder, until } from './helper.ts'
import { freePort } from './ports.ts'
import { findDatabaseUser, postgresOptions } from './postgres.ts'

/** PgBouncer, a pooler between servers and PostgreSQL. */

const program = '/usr/sbin/pgbouncer'

/** Options of a test that needs PgBouncer. */
export const pgbouncerOptions: { skip: string | false } = {
  skip:
    postgresOptions.skip !== false
      ? postgresOptions.skip
      : existsSync(program) || process.env.POSTGRES_TESTS === 'required'
        ? false
        : 'PgBouncer is not installed'
}

/**
 * Starts PgBouncer in transaction mode in front of a cluster. Returns the URL of a database through
 * it.
 */
export async function startPgBouncer (
  t: Test,
  clusterUrl: string,
  settings: readonly string[] = []
): Promise<(database: string) => string> {
  const { hostname, port: clusterPort, username } = new URL(clusterUrl)
  const home = folder(t)
  const port = await freePort()
  const file = join(home, 'pgbouncer.ini')
  const users = join(home, 'users.txt')
  writeFileSync(users, `"${username}" ""\n`)
  writeFileSync(
    file,
    [
      '[databases]',
      `* = host=${hostname} port=${clusterPort}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      ...settings,
      ''
    ].join('\n')
  )
  // It does not run as root.
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [home, file, users]) chownSync(path, findDatabaseUser(), -1)
  const asUser = isRoot ? ['-u', 'postgres'] : []
  const child = spawn(program, ['-q', ...asUser, file], { stdio: 'ignore' })
  t.teardown(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await until(
    () => canConnect(port),
    (isReady) => isReady
  )
  return (database) => `postgres://${username}@127.0.0.1:${port}/${database}`
}

async function canConnect (port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
