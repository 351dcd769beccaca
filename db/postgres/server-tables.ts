import { checkFunctions } from './checks.ts'

/** Text is ordered by its bytes, as in SQLite, whatever the language of the database is. */
export const text = 'TEXT COLLATE "C"'
/**
 * Settings of tables whose rows live only for moments. They are cleaned up often and without
 * pauses. The room is kept for the next rows: giving it back would lock the table.
 */
export const shortLived = `WITH (
    autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0,
    vacuum_truncate = off)`

/** Tables of servers that share a ledger, and the functions of their checks. */
export const serverTables = `
  CREATE TABLE due_leases (
    account BIGINT NOT NULL,
    queue BIGINT NOT NULL,
    owner BIGINT NOT NULL,
    wanted_by ${text},
    PRIMARY KEY (account, queue)
  ) ${shortLived};
  CREATE SEQUENCE lease_owners;
  CREATE TABLE server_leases (
    owner BIGINT PRIMARY KEY,
    until TIMESTAMPTZ NOT NULL
  ) WITH (fillfactor = 50);
  ${checkFunctions}

  CREATE TABLE servers (
    number BIGINT PRIMARY KEY,
    version ${text} NOT NULL,
    url ${text} NOT NULL,
    seen TIMESTAMPTZ NOT NULL
  ) ${shortLived};
  CREATE TABLE server_secret (secret ${text} NOT NULL);
  INSERT INTO server_secret SELECT md5(gen_random_uuid()::text) || md5(gen_random_uuid()::text);`
