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

/** Tables of the servers of a ledger. */
export const serverTables = `
  CREATE SEQUENCE server_numbers;
  CREATE TABLE servers (
    number BIGINT PRIMARY KEY,
    version ${text} NOT NULL,
    url ${text},
    is_leaving BOOLEAN NOT NULL DEFAULT false,
    session BIGINT NOT NULL,
    session_begin ${text} NOT NULL
  ) ${shortLived};
  CREATE TABLE account_owners (
    account BIGINT PRIMARY KEY,
    owner BIGINT NOT NULL
  ) ${shortLived};
  CREATE TABLE server_secret (secret ${text} NOT NULL);
  INSERT INTO server_secret SELECT md5(gen_random_uuid()::text) || md5(gen_random_uuid()::text);`

/** First part of the locks of this ledger: the number of a table, which has 32 bits. */
export const numberLock = `(('x' || lpad(to_hex('servers'::regclass::oid::bigint), 8, '0'))
  ::bit(32)::int)`

/** Condition for a server whose session holds the lock of its number. */
export const isLive = `EXISTS (
  SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2
    AND classid = 'servers'::regclass AND objid::bigint = servers.number
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
