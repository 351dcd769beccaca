import { LedgerUnusableError } from '../src/ports/ledger-error.ts'

/**
 * Version of the tables and columns of a ledger, the same in all engines. Files of snapshots have
 * it, too. 1 to 10 were versions of the development before the first release.
 */
export const ledgerVersion = 11

/** Throws a LedgerUnusableError for a ledger of another version. Tables are never changed. */
export function refuseOtherVersion (place: string, version: number, orElsewhere: string): void {
  if (version === ledgerVersion) return
  const versions = `(schema ${version}, this one has ${ledgerVersion})`
  if (version > ledgerVersion) {
    throw new LedgerUnusableError(
      `the ledger ${place} was written by a newer momock ${versions}`,
      `update momock, ${orElsewhere}`
    )
  }
  throw new LedgerUnusableError(
    `the ledger ${place} was written by a momock before the first release ${versions}`,
    `start with --fresh, which deletes it, ${orElsewhere}`
  )
}

/** Words in the definitions of tables, as an engine writes them. */
export interface SchemaWords {
  INTEGER: string
  TEXT: string
  BYTES: string
  /** Column with the number of a row. Numbers of deleted rows are not used again. */
  NUMBERED: string
  /** The same, for rows that nothing refers to. */
  COUNTED: string
  /** Ends of definitions: of tables with numbered rows, and of those with another key. */
  ROWS: string
  KEYED: string
  /** The same, for tables whose rows change, or live for moments only. */
  CHANGING_ROWS: string
  CHANGING_KEYED: string
  SHORT_LIVED: string
}

/**
 * Tables. An account points to the number of its ledger, and its rows have this number: a reset
 * only takes another one. The row of a payment is written once. Its state changes are appended to
 * `moves`, because appending is cheap and rewriting rows in random places is not. Due work is in
 * `due_queue`, ordered by ledger, queue and time. Numbers that work in progress may still hold are
 * never used again, although rows are deleted. A new table with rows of a ledger needs a row in
 * `db/ledger-rows.ts`; a test checks it.
 */
const tables = `
  CREATE TABLE accounts (
    id NUMBERED,
    name TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    ledger INTEGER NOT NULL UNIQUE
  ) ROWS;

  CREATE TABLE ledgers (
    number NUMBERED,
    account INTEGER NOT NULL,
    state TEXT NOT NULL
  ) ROWS;
  CREATE INDEX ledgers_of_account ON ledgers (account);
  CREATE INDEX ledgers_at_work ON ledgers (state) WHERE state <> 'USED';

  CREATE TABLE tokens (
    token TEXT PRIMARY KEY,
    account INTEGER NOT NULL
  ) KEYED;
  CREATE INDEX tokens_of_account ON tokens (account);

  CREATE TABLE payments (
    seq NUMBERED,
    ledger INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    id BYTES NOT NULL,
    parent INTEGER,
    version TEXT NOT NULL,
    created INTEGER NOT NULL,
    details TEXT NOT NULL,
    plan TEXT NOT NULL,
    UNIQUE (ledger, kind, id)
  ) ROWS;
  CREATE INDEX parts ON payments (parent) WHERE parent IS NOT NULL;
  CREATE INDEX payments_of_ledger ON payments (ledger BY seq);

  CREATE TABLE codes (
    code TEXT NOT NULL,
    payment INTEGER NOT NULL,
    PRIMARY KEY (code, payment)
  ) KEYED;
  CREATE INDEX codes_of_payment ON codes (payment);

  CREATE TABLE sessions (
    seq NUMBERED,
    token TEXT NOT NULL,
    ledger INTEGER NOT NULL,
    deposit BYTES NOT NULL,
    n INTEGER NOT NULL,
    session TEXT NOT NULL,
    UNIQUE (ledger, deposit, n),
    UNIQUE (token, ledger)
  ) ROWS;

  CREATE TABLE provider_queue (
    ledger INTEGER NOT NULL,
    provider TEXT NOT NULL,
    operation TEXT NOT NULL,
    payment INTEGER NOT NULL,
    PRIMARY KEY (ledger, provider, operation, payment)
  ) SHORT_LIVED;

  CREATE TABLE moves (
    payment INTEGER NOT NULL,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status TEXT NOT NULL,
    failure TEXT,
    cause TEXT NOT NULL,
    step INTEGER,
    no_callback_reason TEXT,
    actor TEXT,
    PRIMARY KEY (payment, n)
  ) KEYED;

  CREATE TABLE set_aside (
    ledger INTEGER NOT NULL,
    payment INTEGER NOT NULL,
    at INTEGER NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (ledger, payment)
  ) KEYED;

  CREATE TABLE uses (
    ledger INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (ledger, scenario)
  ) CHANGING_KEYED;

  CREATE TABLE wallets (
    id NUMBERED,
    ledger INTEGER NOT NULL,
    country TEXT NOT NULL,
    currency TEXT NOT NULL,
    available INTEGER NOT NULL,
    reserved INTEGER NOT NULL,
    UNIQUE (ledger, country, currency)
  ) CHANGING_ROWS;

  CREATE TABLE entries (
    seq COUNTED,
    wallet INTEGER NOT NULL,
    book TEXT NOT NULL,
    payment INTEGER,
    at INTEGER NOT NULL,
    amount INTEGER NOT NULL
  ) ROWS;
  CREATE INDEX entries_of_payment ON entries (payment) WHERE payment IS NOT NULL;
  CREATE INDEX entries_of_wallet ON entries (wallet BY seq) WHERE book = 'available';
  CREATE INDEX opening_entries ON entries (wallet) WHERE payment IS NULL;

  CREATE TABLE callbacks (
    seq NUMBERED,
    ledger INTEGER NOT NULL,
    payment INTEGER,
    queue INTEGER NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    fault TEXT,
    created INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    first_due INTEGER NOT NULL,
    first_attempt INTEGER,
    due INTEGER
  ) CHANGING_ROWS;
  CREATE INDEX callbacks_of_payment ON callbacks (payment) WHERE payment IS NOT NULL;
  CREATE INDEX callbacks_of_ledger ON callbacks (ledger BY seq);
  CREATE INDEX callbacks_pending ON callbacks (ledger) WHERE state = 'PENDING';

  CREATE TABLE held_callbacks (
    ledger INTEGER NOT NULL,
    callback INTEGER NOT NULL,
    PRIMARY KEY (ledger, callback)
  ) SHORT_LIVED;

  CREATE TABLE attempts (
    ledger INTEGER NOT NULL,
    callback INTEGER NOT NULL,
    n INTEGER NOT NULL,
    attempt TEXT NOT NULL,
    PRIMARY KEY (ledger, callback, n)
  ) KEYED;

  CREATE TABLE statements (
    seq NUMBERED,
    ledger INTEGER NOT NULL,
    id TEXT NOT NULL,
    created INTEGER NOT NULL,
    due INTEGER NOT NULL,
    request TEXT NOT NULL,
    ended INTEGER,
    failure TEXT,
    file BYTES,
    UNIQUE (id, ledger)
  ) ROWS;
  CREATE INDEX statements_of_ledger ON statements (ledger);

  CREATE TABLE keys (
    seq COUNTED,
    id TEXT NOT NULL UNIQUE,
    private_key TEXT NOT NULL
  ) ROWS;

  CREATE TABLE due_queue (
    ledger INTEGER NOT NULL,
    queue INTEGER NOT NULL,
    due INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    PRIMARY KEY (ledger, queue, due, subject)
  ) SHORT_LIVED;

  CREATE TABLE snapshots (
    id COUNTED,
    account INTEGER NOT NULL,
    name TEXT NOT NULL,
    taken INTEGER NOT NULL,
    state TEXT NOT NULL,
    payments INTEGER NOT NULL,
    ledger INTEGER NOT NULL,
    UNIQUE (account, name)
  ) ROWS;
`

/**
 * Writes the tables of a ledger in the words of an engine. `inOrder` writes the end of an index in
 * the order of a column.
 */
export function writeSchema (words: SchemaWords, inOrder: (column: string) => string): string {
  return tables
    .replace(/ BY (\w+)/g, (_, column: string) => inOrder(column))
    .replace(/\b[A-Z_]+\b/g, (word) => words[word as keyof SchemaWords] ?? word)
}
