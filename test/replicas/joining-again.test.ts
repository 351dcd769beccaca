import t from 'tap'
import type { WriteOptions } from '../../db/jobs.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'
import { joinLedger } from './servers.ts'

/** Work of a server that has to join the others again, and cannot do so at once. */

/** Errors of the first tries to join again. */
const errors: Array<{ what: string; code: string; times: number; isStored: boolean }> = [
  { what: 'a conflict', code: '40P01', times: 1, isStored: true },
  { what: 'an error that stays', code: '53100', times: 1000, isStored: false }
]

const works: Array<[what: string, count: number, options: WriteOptions<number>]> = [
  ['work of five requests', 5, {}],
  ['work that is never done twice', 1, { committed: () => {} }]
]

for (const { what, code, times, isStored } of errors) {
  for (const [which, count, options] of works) {
    t.test(`${which} meets ${what}`, postgresOptions, async (t) => {
      const db = await createSchema(t, (await openCluster()).url)
      const { database } = await joinLedger(t, db)
      await runSql(
        db,
        `DELETE FROM server_leases;
        CREATE SEQUENCE joins;
        CREATE FUNCTION fail_to_join() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN
            IF nextval('joins') <= ${times} THEN
              RAISE EXCEPTION 'not now' USING ERRCODE = '${code}';
            END IF;
            RETURN NEW;
          END $$;
        CREATE TRIGGER joins BEFORE INSERT ON server_leases
          FOR EACH ROW EXECUTE FUNCTION fail_to_join()`
      )
      let runs = 0
      const insert = database.connection.prepare('INSERT INTO uses VALUES (1, ?, 1)')
      const results = await Promise.allSettled(
        Array.from({ length: count }, (_, n) =>
          database.write(
            undefined,
            () => {
              insert.run(`scenario ${n}`)
              return ++runs
            },
            options
          )
        )
      )
      const wanted = isStored ? 'fulfilled' : 'rejected'
      t.ok(results.every(({ status }) => status === wanted), `all are ${wanted}`)
      t.equal((await runSql(db, 'SELECT 1 FROM uses')).length, isStored ? count : 0)
      const [{ tries }] = await runSql(db, 'SELECT last_value::int AS tries FROM joins')
      t.equal(tries, isStored ? times + 1 : 1, 'tries to join')
      if (options.committed !== undefined) t.equal(runs, isStored ? 1 : 0, 'never done twice')
      await runSql(db, 'DROP TRIGGER joins ON server_leases')
      t.ok(await database.write(undefined, () => true), 'it works then')
    })
  }
}
