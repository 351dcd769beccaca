import { setTimeout as sleep } from 'node:timers/promises'
import { runWholeLives } from '../../src/cli/load/whole-lives.ts'
import { MomockClient } from '../../src/client/client.ts'
import { databaseUrl, runSql, type Cluster } from '../../test/support/postgres.ts'
import { startReplicas } from './groups.ts'

/** Tables whose rows are changed or deleted again and again. */
const hotTables = [
  'due_queue',
  'account_owners',
  'provider_queue',
  'held_callbacks',
  'uses',
  'wallets',
  'servers'
]

/** Payments per second of each of the two servers, and their connections. */
const [rate, connections] = [100, 10]
/** Samples of the sizes. */
const sampleCount = 10

const token = 'test-token'
const name = 'bloat'

/** Size of a table with its indexes, in KiB, and its rows that are dead. */
interface Size {
  name: string
  kib: number
  dead: number
}

/**
 * Makes payments with callbacks on two servers for some time, and prints the sizes of the tables
 * that must stay small. Returns the exit code.
 */
export async function watchTables (cluster: Cluster, seconds: number): Promise<number> {
  const group = await startReplicas(cluster, name, 2, 'running')
  try {
    const lives = group.servers.map(({ url }) =>
      runWholeLives(
        new MomockClient(url, token),
        { url, token, round: ['initiations'], rate, seconds, connections },
        '127.0.0.1',
        () => {},
        new AbortController().signal
      )
    )
    process.stdout.write('sizes with indexes, and the number of dead rows\n')
    process.stdout.write(formatLine('minutes', hotTables))
    for (let sample = 1; sample <= sampleCount; sample++) {
      await sleep((seconds * 1000) / sampleCount)
      const sizes = new Map(
        (await readSizes(databaseUrl(cluster.url, name))).map((size) => [size.name, size])
      )
      const cells = hotTables.map((name) => {
        const { kib = 0, dead = 0 } = sizes.get(name) ?? {}
        return `${kib} KiB (${dead})`
      })
      const minutes = ((seconds / 60) * sample) / sampleCount
      process.stdout.write(formatLine(minutes.toFixed(1), cells))
    }
    const told = (await Promise.all(lives)).reduce((sum, { lives }) => sum + lives.told, 0)
    process.stdout.write(`${told} payments with their callbacks\n`)
    return 0
  } finally {
    await group.stop()
  }
}

function formatLine (first: string, cells: readonly string[]): string {
  return `${first.padStart(7)}${cells.map((cell) => cell.padStart(18)).join('')}\n`
}

/** Reads the sizes of all tables, and how many of their rows are dead. */
async function readSizes (url: string): Promise<Size[]> {
  return await runSql(
    url,
    `SELECT relname AS name, (pg_total_relation_size(relid) / 1024)::int AS kib,
    n_dead_tup::int AS dead FROM pg_stat_user_tables`
  )
}
