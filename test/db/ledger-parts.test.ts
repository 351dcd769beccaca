import t from 'tap'
import { PostgresEngine } from '../../db/postgres/engine.ts'
import { inspectLedger } from '../../db/postgres/ledger.ts'
import { listMissingParts } from '../../db/postgres/ledger-parts.ts'
import { makeLong } from '../support/full.ts'
import { createSchema, openCluster, postgresOptions, runSql } from '../support/postgres.ts'

/** Parts of a ledger in PostgreSQL that somebody has removed, as by a restore in part. */

interface Part {
  name: string
  /** SQL that removes the part. */
  remove: string
}

/** Everything that keeps a ledger correct, as PostgreSQL lists it. */
const listParts = `
  SELECT CASE contype WHEN 'p' THEN 'primary' ELSE 'unique' END || ' key ' ||
    conrelid::regclass || ' (' || (
      SELECT string_agg(attname, ', ' ORDER BY place)
      FROM unnest(conkey) WITH ORDINALITY AS keys (number, place)
      JOIN pg_attribute ON attrelid = conrelid AND attnum = number) || ')' AS name,
    format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS remove
  FROM pg_constraint
  WHERE connamespace = current_schema()::regnamespace AND contype IN ('p', 'u')
  UNION ALL
  SELECT 'table ' || relname, format('DROP TABLE %s CASCADE', oid::regclass)
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
    AND relname <> 'momock_ledger'`

/** Changes of a ledger, and what is found. */
const damages: Array<[title: string, damage: string, problem: RegExp | undefined]> = [
  [
    'no key of payments',
    'ALTER TABLE payments DROP CONSTRAINT payments_ledger_kind_id_key',
    /it has no unique key payments \(ledger, kind, id\)$/
  ],
  [
    'a key of fewer columns instead',
    `ALTER TABLE payments DROP CONSTRAINT payments_ledger_kind_id_key,
      ADD UNIQUE (ledger, id)`,
    /it has no unique key payments \(ledger, kind, id\)$/
  ],
  [
    'a key of some rows instead',
    `ALTER TABLE payments DROP CONSTRAINT payments_ledger_kind_id_key;
    CREATE UNIQUE INDEX ON payments (ledger, kind, id) WHERE kind = 0`,
    /it has no unique key payments \(ledger, kind, id\)$/
  ],
  [
    'a key with another name, which is as good',
    `ALTER TABLE payments DROP CONSTRAINT payments_ledger_kind_id_key;
    CREATE UNIQUE INDEX another_name ON payments (ledger, kind, id)`,
    undefined
  ],
  [
    'a key with an expression instead',
    `ALTER TABLE payments DROP CONSTRAINT payments_ledger_kind_id_key;
    CREATE UNIQUE INDEX ON payments (ledger, kind, id, (seq + 0))`,
    /it has no unique key payments \(ledger, kind, id\)$/
  ],
  [
    'a key that is checked late instead',
    `ALTER TABLE payments DROP CONSTRAINT payments_ledger_kind_id_key,
      ADD UNIQUE (ledger, kind, id) DEFERRABLE`,
    /it has no unique key payments \(ledger, kind, id\)$/
  ],
  [
    'a unique key instead of a primary one',
    'ALTER TABLE callbacks DROP CONSTRAINT callbacks_pkey, ADD UNIQUE (seq)',
    /it has no primary key callbacks \(seq\)$/
  ],
  ['no version', 'DELETE FROM momock_ledger', /it has no single row of momock_ledger$/],
  [
    'two versions',
    'INSERT INTO momock_ledger SELECT * FROM momock_ledger',
    /it has no single row of momock_ledger$/
  ],
  ['no secret', 'DELETE FROM server_secret', /it has no single row of server_secret$/],
  [
    'no tables',
    'DROP TABLE callbacks, codes, moves, wallets',
    /it has no table codes, table moves, table wallets and 1 more$/
  ]
]

t.test('parts that are missing are found', makeLong(postgresOptions), async (t) => {
  const ledger = await createSchema(t, (await openCluster()).url)
  const engine = await PostgresEngine.open(ledger)
  t.teardown(() => engine.close())
  const { connection } = engine
  const inspect = (): Promise<unknown> => inspectLedger(connection, 'here')
  /** Removes something, looks at the ledger, and brings it back. */
  const without = async (removal: string, look: () => Promise<unknown>): Promise<void> => {
    await connection.begin()
    await connection.exec(removal)
    await look()
    await connection.rollback()
  }
  const parts: Part[] = await runSql(ledger, listParts)
  t.ok(parts.length > 50, `${parts.length} parts`)
  for (const { name, remove } of parts) {
    await without(remove, async () => {
      await t.rejects(inspect(), { name: 'LedgerUnusable' }, name)
      t.ok((await listMissingParts(connection)).includes(name), `it is named: ${name}`)
    })
  }
  for (const [title, damage, problem] of damages) {
    await without(damage, async () => {
      if (problem === undefined) await t.resolves(inspect(), title)
      else await t.rejects(inspect(), { name: 'LedgerUnusable', problem }, title)
    })
  }
  await t.resolves(inspect(), 'a whole ledger')
})
