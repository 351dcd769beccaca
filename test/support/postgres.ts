import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Test } from 'tap'
import type { Connection } from '../../db/connection.ts'
import { Database } from '../../db/database.ts'
import { openEngine } from '../../db/open-engine.ts'

/** Clusters of PostgreSQL for tests, and the schemas of the servers that tests start. */

/** Folder with the programs of PostgreSQL, of the newest version; undefined if there are none. */
const programs = globSync('/usr/lib/postgresql/*/bin')
  .sort((one, other) => Number(other.split('/')[4]) - Number(one.split('/')[4]))
  .find((folder) => existsSync(join(folder, 'initdb')))

const isRequired = process.env.POSTGRES_TESTS === 'required'

/** Options of a test that needs PostgreSQL. */
export const postgresOptions: { skip: string | false } = {
  skip: programs !== undefined || isRequired ? false : 'PostgreSQL is not installed'
}

/** PostgreSQL does not run as root: then the user of Debian's package runs it. */
const isRoot = process.getuid?.() === 0
const user = 'postgres'

/** A running cluster with one database. Only the user `guarded` needs a password. */
export interface Cluster {
  /** URL of the database, whose owner is the user of the URL. */
  url: string
  /** The same database, through a socket in a folder. */
  socketUrl: string
  stop: (mode?: 'fast' | 'immediate') => void
  start: () => void
  /** Returns the number of its first process, the parent of all others. */
  pid: () => number
  /** Stops the cluster and deletes its folder. */
  remove: () => void
}

/** Beginning of the folders of clusters, and the file in them with the process that uses it. */
const folderName = 'momock-postgres-'
const ownerFile = 'owner'

/** Stops and deletes the clusters of test processes that were killed. */
function removeStaleClusters (): void {
  for (const file of globSync(join(tmpdir(), `${folderName}*`, ownerFile))) {
    if (isOwned(file)) continue
    const folder = dirname(file)
    const data = join(folder, 'data')
    if (existsSync(join(data, 'postmaster.pid'))) {
      // It may have been killed, too: then there is nothing to stop.
      tryProgram('pg_ctl', ['-D', data, '-w', '-t', '30', 'stop', '-m', 'immediate'])
    }
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Returns whether the process in a file runs. Another process may delete the file meanwhile. */
function isOwned (file: string): boolean {
  try {
    const owner = Number(readFileSync(file, 'utf8'))
    // Signal 0 is only a question. The file is empty for a moment before it has the number.
    return owner === 0 || process.kill(owner, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Starts of a cluster on different ports. */
const mostStarts = 3

/** Returns the number of the user that runs PostgreSQL. */
export function findDatabaseUser (): number {
  if (!isRoot) return process.getuid?.() ?? 0
  return Number(spawnSync('id', ['-u', user], { encoding: 'utf8' }).stdout)
}

/**
 * Creates a cluster in a temporary folder, on a free port, and starts it. The settings are lines of
 * its configuration.
 */
export async function createCluster (settings: readonly string[] = []): Promise<Cluster> {
  removeStaleClusters()
  const folder = mkdtempSync(join(tmpdir(), folderName))
  writeFileSync(join(folder, ownerFile), String(process.pid))
  if (isRoot) chownSync(folder, findDatabaseUser(), -1)
  const data = join(folder, 'data')
  runProgram('initdb', ['-D', data, '-A', 'trust', '-U', 'momock', '-E', 'UTF8', '--no-sync'])
  const access = join(data, 'pg_hba.conf')
  const rules = readFileSync(access, 'utf8')
  writeFileSync(access, `host all guarded 127.0.0.1/32 scram-sha-256\n${rules}`)
  const configuration = join(data, 'postgresql.conf')
  appendFileSync(
    configuration,
    [
      "listen_addresses = '127.0.0.1'",
      `unix_socket_directories = '${folder}'`,
      // The tests do not survive a power cut.
      'fsync = off',
      'max_connections = 200',
      ...settings,
      ''
    ].join('\n')
  )
  const control = (...args: string[]): void =>
    runProgram('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-w', '-t', '30', ...args])
  const port = await startOnFreePort((port) => {
    // The last line counts.
    appendFileSync(configuration, `port = ${port}\n`)
    control('start')
  })
  return {
    url: `postgres://momock@127.0.0.1:${port}/postgres`,
    socketUrl: `postgres://momock@localhost:${port}/postgres?host=${folder}`,
    start: () => control('start'),
    stop: (mode = 'fast') => control('stop', '-m', mode),
    pid: () => Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8')),
    remove: () => {
      if (existsSync(join(data, 'postmaster.pid'))) control('stop', '-m', 'immediate')
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Starts a server on a free port, and returns the port. Others may take it before the server. */
async function startOnFreePort (start: (port: number) => void): Promise<number> {
  for (let tries = mostStarts; ; tries--) {
    const port = await findFreePort()
    try {
      start(port)
      return port
    } catch (error) {
      if (tries === 1) throw error
    }
  }
}

let shared: Promise<Cluster> | undefined

/** Starts one cluster for all tests of this process. It is removed when the process ends. */
export async function openCluster (): Promise<Cluster> {
  shared ??= createCluster().then((cluster) => {
    process.once('exit', cluster.remove)
    return cluster
  })
  return await shared
}

function runProgram (name: string, args: string[]): void {
  const { status, error } = tryProgram(name, args)
  if (status !== 0) throw error ?? new Error(`${name} ${args.join(' ')} failed with ${status}`)
}

function tryProgram (name: string, args: string[]): SpawnSyncReturns<Buffer> {
  const path = join(programs ?? '', name)
  const drop = ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups']
  const [command, ...rest] = [...(isRoot ? drop : []), path, ...args]
  // A server that is started keeps its standard output open, so nothing may wait for its end.
  return spawnSync(command, rest, { cwd: '/', stdio: 'ignore' })
}

async function findFreePort (): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** Runs SQL in a database and returns its rows. */
export async function runSql (url: string, sql: string): Promise<any[]> {
  // Loaded late: most tests do not use it.
  const { default: pg } = await import('pg')
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Creates an empty schema that is deleted with the test, and returns its URL. */
export async function createSchema (
  t: Pick<Test, 'teardown'>,
  url: string,
  name = `test_${randomBytes(8).toString('hex')}`
): Promise<string> {
  await runSql(url, `CREATE SCHEMA IF NOT EXISTS ${name}`)
  t.teardown(() => runSql(url, `DROP SCHEMA IF EXISTS ${name} CASCADE`))
  return `${url}?options=${encodeURIComponent(`-csearch_path=${name}`)}`
}

/** Creates a database that is deleted with the test, and returns its name. */
export async function createDatabase (t: Pick<Test, 'teardown'>, url: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await runSql(url, `CREATE DATABASE ${name}`)
  t.teardown(() => runSql(url, `DROP DATABASE ${name} WITH (FORCE)`))
  return name
}

/** Creates a database that is deleted with the test, and returns its URL. */
export async function openDatabase (t: Pick<Test, 'teardown'>): Promise<string> {
  const { url } = await openCluster()
  return databaseUrl(url, await createDatabase(t, url))
}

/** Returns the URL of another database of a cluster. */
export function databaseUrl (url: string, name: string): string {
  return url.replace(/\/\w+$/, `/${name}`)
}

/** Database for the ledgers of all tests; `npm run test:postgres` sets it. */
const sharedUrl = process.env.TEST_POSTGRES

/** True if the ledgers of all tests are in PostgreSQL. */
export const isPostgres = sharedUrl !== undefined

/** Options of a test that needs the file of a ledger. */
export const fileOptions = {
  skip: sharedUrl === undefined ? false : 'it changes the file of a ledger'
} as const

/**
 * Returns the setting of a test's ledger. Usually it stays as it is; `npm run test:postgres` gives
 * each file its own schema instead, and each ledger in memory, too.
 */
export async function placeLedger (t: Pick<Test, 'teardown'>, db: string): Promise<string> {
  if (sharedUrl === undefined || db.startsWith('postgres:')) return db
  if (db === ':memory:') return await createSchema(t, sharedUrl)
  const hash = createHash('sha256').update(db).digest('hex').slice(0, 16)
  return await createSchema(t, sharedUrl, `file_${hash}`)
}

/** Works with the tables of a ledger that no server uses. */
export async function withLedger<T> (
  t: Test,
  db: string,
  work: (connection: Connection) => T | Promise<T>
): Promise<T> {
  const database = new Database(await openEngine(await placeLedger(t, db)))
  try {
    return await database.write(undefined, () => work(database.connection))
  } finally {
    await database.close()
  }
}
