import {
  aloneQueue,
  firstCallbackQueue,
  lockQueue,
  paymentQueue,
  turnQueue
} from '../../src/domain/due-queue.ts'
import type { LeaseView, Queue } from '../../src/domain/due-queue.ts'
import type { Connection } from '../connection.ts'

/** Time after which a server counts as dead. It renews its lease several times before. */
export const leaseSeconds = 15

/** Time at which a lease ends that is renewed now, on the clock of the database. */
const end = `now() + interval '${leaseSeconds} s'`

/** Queues that are no work. */
const agreements = `${turnQueue}, ${aloneQueue}, ${lockQueue}`

/** Condition for leases of servers that have died. */
const isLeftOver = `NOT EXISTS (
  SELECT 1 FROM server_leases WHERE server_leases.owner = due_leases.owner)`

/** Writes the statement that begins the lease of a server. */
export function writeJoin (owner: number): string {
  return `INSERT INTO server_leases (owner, until) SELECT ${owner}, ${end} ON CONFLICT DO NOTHING`
}

/** Prepares the statements that change leases, and those that look for other servers. */
export function prepareLeaseStatements (connection: Connection, owner: number) {
  return {
    leave: connection.prepare(`DELETE FROM server_leases WHERE owner = ${owner}`),
    renew: connection.prepare(`UPDATE server_leases SET until = ${end} WHERE owner = ${owner}`),
    time: connection
      .prepare<[], number>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint')
      .pluck(),
    own: connection.prepare<[], Queue>(
      `SELECT account, queue FROM due_leases WHERE owner = ${owner}`
    ),
    acquire: connection.prepare(`
      INSERT INTO due_leases (account, queue, owner) SELECT ?, ?, ${owner} WHERE NOT EXISTS (
        SELECT 1 FROM due_leases
        WHERE account = ? AND queue = ${aloneQueue} AND owner <> ${owner})
      ON CONFLICT DO NOTHING`),
    ownLock: connection.prepare<[number], object>(
      `SELECT 1 FROM due_leases WHERE account = ? AND queue = ${lockQueue} AND owner = ${owner}`
    ),
    release: connection.prepare(
      'DELETE FROM due_leases WHERE account = ? AND queue = ? AND owner = ?'
    ),
    others: connection.prepare<[number], object>(
      `SELECT 1 FROM due_leases
      WHERE account = ? AND owner <> ${owner} AND queue NOT IN (${agreements}) LIMIT 1`
    ),
    ask: connection.prepare(
      `UPDATE due_leases SET wanted_by = ?
      WHERE account = ? AND queue = ${turnQueue} AND owner <> ${owner}`
    ),
    // Those of the servers that have their row locked; the first time those of all servers.
    serversUnderWay: connection
      .prepare<[string | null], string | null>(
        `
        WITH idle AS (
          SELECT owner FROM server_leases WHERE owner <> ${owner} FOR SHARE SKIP LOCKED)
        SELECT string_agg(owner::text, ',') FROM server_leases
        WHERE owner <> ${owner} AND owner NOT IN (SELECT owner FROM idle)
          AND owner = ANY (COALESCE(string_to_array(?, ',')::bigint[], ARRAY[owner]))`
      )
      .pluck(),
    // Of several servers that look at the same time, one gets each row.
    endDead: connection.prepare(`
      DELETE FROM server_leases WHERE owner IN (
        SELECT owner FROM server_leases WHERE until < now() AND owner <> ${owner}
        FOR UPDATE SKIP LOCKED)`),
    leftOver: connection.prepare<[], Queue & { owner: number }>(
      `SELECT account, queue, owner FROM due_leases WHERE ${isLeftOver} FOR UPDATE SKIP LOCKED`
    ),
    takeOver: connection.prepare(
      `UPDATE due_leases SET owner = ${owner}
      WHERE account = ? AND queue = ${lockQueue} AND owner = ?`
    ),
    requeue: connection.prepare(`
      INSERT INTO due_queue (account, queue, due, subject)
      SELECT account, queue, due, seq FROM callbacks
      WHERE state = 'PENDING' AND account = ? AND queue = ? AND NOT EXISTS (
        SELECT 1 FROM due_queue WHERE due_queue.account = callbacks.account
          AND due_queue.queue = callbacks.queue AND subject = seq)`)
  }
}

/** Row of a look for work. Lists are JSON. */
interface LookRow {
  free: string
  evicted: string
  wanted: string
  has_dead: number
}

/** Prepares the statements of a look for work. */
export function prepareLookStatements (connection: Connection, owner: number) {
  // One step in the index for each queue, not one for each row: there may be a million of those.
  const free = `
    WITH RECURSIVE queues AS (
      (SELECT account, queue, due FROM due_queue ORDER BY account, queue, due LIMIT 1)
      UNION ALL
      SELECT next.account, next.queue, next.due FROM queues CROSS JOIN LATERAL (
        SELECT account, queue, due FROM due_queue
        WHERE (due_queue.account, due_queue.queue) > (queues.account, queues.queue)
        ORDER BY account, queue, due LIMIT 1) AS next)
    SELECT account, queue, due FROM queues WHERE NOT EXISTS (
      SELECT 1 FROM due_leases WHERE due_leases.account = queues.account
        AND due_leases.queue = queues.queue AND owner <> ${owner})`
  const evicted = `
    SELECT DISTINCT account FROM due_leases AS alone
    WHERE queue = ${aloneQueue} AND owner <> ${owner} AND EXISTS (
      SELECT 1 FROM due_leases WHERE due_leases.account = alone.account
        AND owner = ${owner} AND queue NOT IN (${agreements}))`
  const wanted = `
    SELECT account, wanted_by AS by FROM due_leases
    WHERE owner = ${owner} AND queue = ${turnQueue} AND wanted_by IS NOT NULL`
  const dead = `
    SELECT 1 FROM server_leases WHERE until < now() AND owner <> ${owner}
    UNION ALL SELECT 1 FROM due_leases WHERE ${isLeftOver}`
  const listOf = (query: string): string =>
    `(SELECT COALESCE(json_agg(found), '[]')::text FROM (${query}) AS found)`
  return {
    // One statement, because every server looks again and again.
    look: connection.prepare<[], LookRow>(`
      SELECT ${listOf(free)} AS free, ${listOf(evicted)} AS evicted, ${listOf(wanted)} AS wanted,
        (EXISTS (${dead}))::int AS has_dead`),
    callbacksElsewhere: connection.prepare<[number, number], object>(`
      SELECT 1 FROM callbacks
      JOIN due_leases ON due_leases.account = callbacks.account
        AND due_leases.queue = callbacks.queue AND owner <> ${owner}
      WHERE callbacks.account = ? AND state = 'PENDING' AND due <= ? LIMIT 1`),
    lastPayment: connection
      .prepare<[number], number>('SELECT max(seq) FROM payments WHERE account = ?')
      .pluck(),
    oldWork: connection
      .prepare<[number, number, number, number, number], number | null>(
        `SELECT min(due) FROM (
          (SELECT due FROM due_queue
            WHERE account = ? AND queue = ${paymentQueue} AND subject <= ? ORDER BY due LIMIT 1)
          UNION ALL (SELECT due_queue.due FROM due_queue JOIN callbacks ON seq = subject
            WHERE due_queue.account = ? AND due_queue.queue >= ${firstCallbackQueue}
              AND COALESCE(payment, 0) <= ? ORDER BY due_queue.due LIMIT 1)
          UNION ALL (SELECT due FROM due_queue
            WHERE account = ? AND queue > ${paymentQueue} AND queue < ${firstCallbackQueue}
            ORDER BY due LIMIT 1)) AS old`
      )
      .pluck()
  }
}

/** Returns the view of a row. */
export function readLook ({ free, evicted, wanted, has_dead: dead }: LookRow): LeaseView {
  const accounts: Array<Pick<Queue, 'account'>> = JSON.parse(evicted)
  return {
    free: JSON.parse(free),
    evicted: accounts.map(({ account }) => account),
    wanted: JSON.parse(wanted),
    hasDead: dead === 1
  }
}
