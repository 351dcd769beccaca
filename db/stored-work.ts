import type { LedgerPart } from '../src/domain/account-tables.ts'
import { lockQueue, type Queue } from '../src/domain/due-queue.ts'
import { stopwatch } from '../src/lib/clock.ts'
import {
  deleteCopy,
  deleteRows,
  requeueCallbacks,
  restoreRows,
  type Steps
} from './account-rows.ts'
import type { Connection } from './connection.ts'

/** Work on whole accounts as it is stored, and its steps. */

/** Longest work in one turn of the event loop, without the commit. */
const turnMs = 10

/**
 * Work on a whole account that may take many transactions. `lock` is the number whose lock it
 * needs, if it is not that of the account.
 */
export type Work =
  | { kind: 'clear'; account: number; keep: LedgerPart[] }
  | { kind: 'remove'; account: number }
  | { kind: 'restore'; account: number; snapshot: number }
  | { kind: 'deleteCopy'; account: number; snapshot: number; lock?: number }

/** Stored work. */
export interface WorkRow {
  number: number
  work: Work
}

/** Returns the number whose lock work needs. */
export function lockNumberOf (work: Work): number {
  return (work.kind === 'deleteCopy' ? work.lock : undefined) ?? work.account
}

/** Returns the lease of a lock, where several servers share the ledger. */
export function leaseOfLock (lock: number): Queue {
  return { account: lock, queue: lockQueue }
}

/** Runs steps inside a transaction for a short time. Returns whether they are done. */
export async function runForAWhile (steps: Steps): Promise<boolean> {
  const end = stopwatch() + turnMs
  do if ((await steps.next()).done === true) return true
  while (stopwatch() < end)
  return false
}

/** Stores work that must be finished. Called inside a transaction. Returns its number. */
export async function insertWork (connection: Connection, work: Work): Promise<number> {
  const insert = connection.prepareInsert('unfinished_work', ['work'])
  return (await insert.add(JSON.stringify(work))) as number
}

/** Forgets work that is done. Called inside a transaction. */
export function deleteWork (connection: Connection, number: number): void {
  connection.prepare('DELETE FROM unfinished_work WHERE number = ?').run(number)
}

/** Lists the steps of work. */
export async function * listSteps (connection: Connection, work: Work): Steps {
  const { account } = work
  switch (work.kind) {
    case 'clear':
      return yield * deleteRows(connection, account, work.keep)
    case 'remove':
      for (const snapshot of await listSnapshotNumbers(connection, account)) {
        yield * deleteCopy(connection, snapshot)
        connection.prepare('DELETE FROM snapshots WHERE id = ?').run(snapshot)
      }
      return yield * deleteRows(connection, account)
    case 'restore':
      yield * deleteRows(connection, account)
      yield * restoreRows(connection, work.snapshot)
      return yield * requeueCallbacks(connection, account)
    case 'deleteCopy':
      yield * deleteCopy(connection, work.snapshot)
      // A copy that was not completed has a hidden row.
      connection.prepare('DELETE FROM snapshots WHERE id = ?').run(work.snapshot)
  }
}

function listSnapshotNumbers (connection: Connection, account: number): Promise<number[]> {
  return connection
    .prepare<[number], number>('SELECT id FROM snapshots WHERE account = ?')
    .pluck()
    .all(account)
}
