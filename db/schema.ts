import { LedgerUnusableError } from '../src/domain/ledger-error.ts'

/**
 * Version of the tables and columns of a ledger, the same in all engines. Files of snapshots have
 * it, too. 1 to 7 were versions of the development before the first release.
 */
export const ledgerVersion = 8

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

/** Tables whose rows snapshots copy. */
const copied = [
  'payments',
  'moves',
  'codes',
  'provider_queue',
  'set_aside',
  'sessions',
  'statements',
  'wallets',
  'entries',
  'callbacks',
  'held_callbacks',
  'attempts',
  'uses',
  'due_queue'
]

/**
 * Tables of a ledger. The row of a payment is written once. Its state changes are appended to
 * `moves`, because appending is cheap and rewriting rows in random places is not. Due work is in
 * `due_queue`, ordered by account, queue and time. Numbers that work in progress may still hold are
 * never used again, although rows are deleted. A new table with rows of an account needs a row in
 * `db/account-rows.ts`; a test checks it.
 */
const tables = `
  CREATE TABLE accounts (
    id NUMBERED,
    name TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL DEFAULT '{}'
  ) ROWS;

  CREATE TABLE payments (
    seq NUMBERED,
    account INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    id BYTES NOT NULL,
    parent INTEGER,
    generation TEXT NOT NULL,
    created INTEGER NOT NULL,
    details TEXT NOT NULL,
    plan TEXT NOT NULL,
    UNIQUE (account, kind, id)
  ) ROWS;
  CREATE INDEX parts ON payments (parent) WHERE parent IS NOT NULL;
  CREATE INDEX payments_of_account ON payments (account BY seq);

  CREATE TABLE codes (
    code TEXT PRIMARY KEY,
    payment INTEGER NOT NULL
  ) KEYED;
  CREATE INDEX codes_of_payment ON codes (payment);

  CREATE TABLE sessions (
    seq NUMBERED,
    token TEXT NOT NULL UNIQUE,
    account INTEGER NOT NULL,
    deposit BYTES NOT NULL,
    n INTEGER NOT NULL,
    session TEXT NOT NULL,
    UNIQUE (account, deposit, n)
  ) ROWS;

  CREATE TABLE provider_queue (
    account INTEGER NOT NULL,
    provider TEXT NOT NULL,
    operation TEXT NOT NULL,
    payment INTEGER NOT NULL,
    PRIMARY KEY (account, provider, operation, payment)
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
    account INTEGER NOT NULL,
    payment INTEGER NOT NULL,
    at INTEGER NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (account, payment)
  ) KEYED;

  CREATE TABLE uses (
    account INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account, scenario)
  ) CHANGING_KEYED;

  CREATE TABLE wallets (
    id NUMBERED,
    account INTEGER NOT NULL,
    country TEXT NOT NULL,
    currency TEXT NOT NULL,
    available INTEGER NOT NULL,
    reserved INTEGER NOT NULL,
    UNIQUE (account, country, currency)
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
    account INTEGER NOT NULL,
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
    due INTEGER,
    gone_kind INTEGER,
    gone_id BYTES
  ) CHANGING_ROWS;
  CREATE INDEX callbacks_of_payment ON callbacks (payment) WHERE payment IS NOT NULL;
  CREATE INDEX callbacks_of_account ON callbacks (account BY seq);
  CREATE INDEX callbacks_pending ON callbacks (account) WHERE state = 'PENDING';

  CREATE TABLE held_callbacks (
    account INTEGER NOT NULL,
    callback INTEGER NOT NULL,
    PRIMARY KEY (account, callback)
  ) SHORT_LIVED;

  CREATE TABLE attempts (
    account INTEGER NOT NULL,
    callback INTEGER NOT NULL,
    n INTEGER NOT NULL,
    attempt TEXT NOT NULL,
    PRIMARY KEY (account, callback, n)
  ) KEYED;

  CREATE TABLE statements (
    seq NUMBERED,
    account INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    due INTEGER NOT NULL,
    request TEXT NOT NULL,
    ended INTEGER,
    failure TEXT,
    file BYTES
  ) ROWS;
  CREATE INDEX statements_of_account ON statements (account);

  CREATE TABLE keys (
    seq COUNTED,
    id TEXT NOT NULL UNIQUE,
    private_key TEXT NOT NULL
  ) ROWS;

  CREATE TABLE due_queue (
    account INTEGER NOT NULL,
    queue INTEGER NOT NULL,
    due INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    PRIMARY KEY (account, queue, due, subject)
  ) SHORT_LIVED;

  CREATE TABLE snapshots (
    id NUMBERED,
    account INTEGER NOT NULL,
    name TEXT NOT NULL,
    taken INTEGER NOT NULL,
    state TEXT NOT NULL,
    payments INTEGER NOT NULL DEFAULT 0,
    UNIQUE (account, name)
  ) ROWS;

  CREATE TABLE unfinished_work (
    number NUMBERED,
    work TEXT NOT NULL
  ) ROWS;
`

/**
 * Writes the tables of a ledger in the words of an engine. `inOrder` writes the end of an index in
 * the order of a column, and `mirror` the table for copies of rows in snapshots.
 */
export function writeSchema (
  words: SchemaWords,
  inOrder: (column: string) => string,
  mirror: (table: string) => string
): string {
  const written = tables
    .replace(/ BY (\w+)/g, (_, column: string) => inOrder(column))
    .replace(/\b[A-Z_]+\b/g, (word) => words[word as keyof SchemaWords] ?? word)
  return `${written}
  ${copied.map(mirror).join('')}
  CREATE INDEX snapshot_entries_order ON snapshot_entries (snapshot, seq);`
}
