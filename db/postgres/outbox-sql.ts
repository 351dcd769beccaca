import type { SharedOutboxSql } from '../outbox.ts'

/**
 * Writes the SQL for the outbox of a server that shares its ledger.
 *
 * The callbacks of one payment may have several receivers, whose queues different servers lease. A
 * callback is in its turn if no callback of its payment to another receiver is due before it, and
 * none is under way on another server. This server itself sends those that it has taken in the
 * order in which it took them.
 */
export function writeOutboxSql (owner: number): SharedOutboxSql {
  return {
    untaken: `AND NOT ${isLeasedElsewhere('callbacks', owner)}`,
    inTurn: `AND NOT EXISTS (
      SELECT 1 FROM callbacks AS other
      WHERE other.payment = callbacks.payment AND other.queue <> callbacks.queue
        AND other.state = 'PENDING' AND CASE
          WHEN EXISTS (
            SELECT 1 FROM due_queue AS entry
            WHERE entry.account = other.account AND entry.queue = other.queue
              AND entry.due = other.due AND entry.subject = other.seq)
          THEN (other.due, other.seq) < (due_queue.due, callbacks.seq)
          ELSE ${isLeasedElsewhere('other', owner)} END
      -- One search for each callback that is taken, not a join with all that are pending.
      OFFSET 0)`
  }
}

/** Condition for callbacks whose queue another server has. */
function isLeasedElsewhere (callback: string, owner: number): string {
  return `EXISTS (
    SELECT 1 FROM due_leases WHERE due_leases.account = ${callback}.account
      AND due_leases.queue = ${callback}.queue AND owner <> ${owner})`
}
