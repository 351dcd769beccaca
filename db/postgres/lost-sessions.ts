import type pg from 'pg'
import { endMs } from './client-end.ts'

/** Name of the sessions in `pg_stat_activity`. */
export const applicationName = 'momock'
/** When a session began, as a text that does not depend on settings. */
export const beginColumn = 'extract(epoch FROM backend_start)::text'

/** Session of PostgreSQL. Its number can be given to another one later, after a restart. */
export interface SessionName {
  number: number
  /** When it began, in seconds. */
  begin: string
}

/** Sessions whose connections are lost, which PostgreSQL may not know. */
export class LostSessions {
  #lost: SessionName[] = []

  add (name: SessionName | undefined): void {
    if (name !== undefined) this.#lost.push(name)
  }

  /**
   * Ends the lost sessions. After an interruption of the network PostgreSQL waits for hours for a
   * client that has gone, and its transaction holds the locks until then. A commit that is under
   * way must end first: later, nobody would look for its rows.
   */
  async end (client: pg.Client): Promise<void> {
    const { rows } = await client.query<{ isEnded: boolean }>(
      `SELECT pg_terminate_backend(pid, ${endMs}) AS "isEnded" FROM pg_stat_activity
      JOIN unnest($1::int[], $2::text[]) AS lost (number, begin)
        ON pid = number AND ${beginColumn} = begin
      WHERE usename = current_user AND application_name = $3`,
      [
        this.#lost.map(({ number }) => number),
        this.#lost.map(({ begin }) => begin),
        applicationName
      ]
    )
    if (rows.some(({ isEnded }) => !isEnded)) throw new Error('a lost session has not ended yet')
    this.#lost = []
  }
}

/** Reads which session a connection has. Through a pooler, the next transaction has another. */
export async function readSessionName (client: pg.Client): Promise<SessionName | undefined> {
  const { rows } = await client.query<SessionName>(
    `SELECT pid AS number, ${beginColumn} AS begin FROM pg_stat_activity
    WHERE pid = pg_backend_pid()`
  )
  return rows[0]
}
