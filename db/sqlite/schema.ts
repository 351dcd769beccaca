import { addColumn, addPlanOrigin, mirrors, renameColumns } from './migration-sql.ts'

/**
 * Tables of the ledger, as a list of migrations. The version of a file is the number of migrations
 * that it has had. Never change a released migration; append a new one. The row of a payment is
 * written once. Its state changes are appended to `moves`, because appending is cheap and rewriting
 * rows in random places is not. Due work is in `due_queue`, ordered by account, queue and time.
 * Numbers that work in progress may still hold are never used again (AUTOINCREMENT), although rows
 * are deleted. A new table with rows of an account needs a row in `db/account-rows.ts`; a test
 * checks it.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL DEFAULT '{}'
  ) STRICT;

  CREATE TABLE payments (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    id BLOB NOT NULL,
    parent INTEGER,
    generation TEXT NOT NULL,
    created INTEGER NOT NULL,
    details TEXT NOT NULL,
    plan TEXT NOT NULL,
    UNIQUE (account, kind, id)
  ) STRICT;
  CREATE INDEX parts ON payments (parent) WHERE parent IS NOT NULL;

  CREATE TABLE codes (
    code TEXT PRIMARY KEY,
    payment INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX codes_of_payment ON codes (payment);

  CREATE TABLE sessions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    account INTEGER NOT NULL,
    deposit BLOB NOT NULL,
    n INTEGER NOT NULL,
    session TEXT NOT NULL,
    UNIQUE (account, deposit)
  ) STRICT;

  CREATE TABLE queue (
    account INTEGER NOT NULL,
    provider TEXT NOT NULL,
    operation TEXT NOT NULL,
    payment INTEGER NOT NULL,
    PRIMARY KEY (account, provider, operation, payment)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE moves (
    payment INTEGER NOT NULL,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    status TEXT NOT NULL,
    failure TEXT,
    cause TEXT NOT NULL,
    step INTEGER,
    untold TEXT,
    PRIMARY KEY (payment, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE uses (
    account INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account, scenario)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE wallets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL,
    country TEXT NOT NULL,
    currency TEXT NOT NULL,
    available INTEGER NOT NULL,
    reserved INTEGER NOT NULL,
    UNIQUE (account, country, currency)
  ) STRICT;

  CREATE TABLE entries (
    seq INTEGER PRIMARY KEY,
    wallet INTEGER NOT NULL,
    book TEXT NOT NULL,
    payment INTEGER,
    at INTEGER NOT NULL,
    amount INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX entries_of_payment ON entries (payment) WHERE payment IS NOT NULL;
  CREATE INDEX opening_entries ON entries (wallet) WHERE payment IS NULL;

  CREATE TABLE callbacks (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL,
    payment INTEGER,
    lane INTEGER NOT NULL,
    url TEXT NOT NULL,
    body TEXT NOT NULL,
    drill TEXT,
    created INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    first_due INTEGER NOT NULL,
    first_attempt INTEGER,
    due INTEGER,
    gone_kind INTEGER,
    gone_id BLOB
  ) STRICT;
  CREATE INDEX callbacks_of_payment ON callbacks (payment) WHERE payment IS NOT NULL;
  CREATE INDEX callbacks_of_account ON callbacks (account);
  CREATE INDEX callbacks_pending ON callbacks (state) WHERE state = 'PENDING';

  CREATE TABLE held_callbacks (
    account INTEGER NOT NULL,
    callback INTEGER NOT NULL,
    PRIMARY KEY (account, callback)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE attempts (
    account INTEGER NOT NULL,
    callback INTEGER NOT NULL,
    n INTEGER NOT NULL,
    attempt TEXT NOT NULL,
    PRIMARY KEY (account, callback, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE statements (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    created INTEGER NOT NULL,
    due INTEGER NOT NULL,
    request TEXT NOT NULL,
    ended INTEGER,
    failure TEXT,
    file BLOB
  ) STRICT;
  CREATE INDEX statements_of_account ON statements (account);

  CREATE TABLE keys (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    private_key TEXT NOT NULL
  ) STRICT;

  CREATE TABLE agenda (
    account INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    due INTEGER NOT NULL,
    subject INTEGER NOT NULL,
    PRIMARY KEY (account, lane, due, subject)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE snapshots (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account INTEGER NOT NULL,
    name TEXT NOT NULL,
    taken INTEGER NOT NULL,
    state TEXT NOT NULL,
    UNIQUE (account, name)
  ) STRICT;
  ${mirrors(
    'payments',
    'moves',
    'codes',
    'queue',
    'sessions',
    'statements',
    'wallets',
    'entries',
    'callbacks',
    'held_callbacks',
    'attempts',
    'uses',
    'agenda'
  )}
`,
  // Plain names for tables and columns.
  `
  ALTER TABLE agenda RENAME TO due_queue;
  ALTER TABLE queue RENAME TO provider_queue;
  ALTER TABLE snapshot_agenda RENAME TO snapshot_due_queue;
  ALTER TABLE snapshot_queue RENAME TO snapshot_provider_queue;
  ${renameColumns('due_queue', { lane: 'queue' })}
  ${renameColumns('callbacks', { lane: 'queue', drill: 'fault' })}
  ${renameColumns('moves', { untold: 'no_callback_reason' })}
`,
  // The origin of a plan and the actor of a move are data; before, both were texts to compare.
  `
  ${addColumn(
    'moves',
    'actor',
    `CASE
    WHEN step IS NOT NULL OR cause = 'expiresAfter ran out' THEN 'plan'
    WHEN cause LIKE '% by the merchant' THEN 'merchant'
    WHEN cause IN ('the deposit failed', 'every payout completed', 'an attempt completed',
      'an attempt failed', 'split payment') OR cause LIKE '% of the payouts failed' THEN 'parts'
    WHEN cause LIKE '%customer%' OR cause LIKE '% on the phone' THEN 'customer'
    ELSE 'operator' END`
  )}
  ${addPlanOrigin('payments')}
  ${addPlanOrigin('snapshot_payments')}
`,
  // Payments that failed are set aside. Lists of the payments of an account need no sorting.
  `
  CREATE TABLE set_aside (
    account INTEGER NOT NULL,
    payment INTEGER NOT NULL,
    at INTEGER NOT NULL,
    error TEXT NOT NULL,
    PRIMARY KEY (account, payment)
  ) STRICT, WITHOUT ROWID;
  ${mirrors('set_aside')}
  CREATE INDEX payments_of_account ON payments (account);
`,
  // A deposit can have several payment pages: each link lives until it expires or one is paid.
  `
  CREATE TABLE all_sessions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    account INTEGER NOT NULL,
    deposit BLOB NOT NULL,
    n INTEGER NOT NULL,
    session TEXT NOT NULL,
    UNIQUE (account, deposit, n)
  ) STRICT;
  INSERT INTO all_sessions SELECT seq, token, account, deposit, n, session FROM sessions;
  DROP TABLE sessions;
  ALTER TABLE all_sessions RENAME TO sessions;
`,
  // Work on whole accounts takes many transactions. Snapshots are restored in order.
  `
  CREATE TABLE unfinished_work (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    work TEXT NOT NULL
  ) STRICT;
  ALTER TABLE snapshots ADD COLUMN payments INTEGER NOT NULL DEFAULT 0;
  UPDATE snapshots SET payments =
    (SELECT count(*) FROM snapshot_payments WHERE snapshot = snapshots.id);
  CREATE INDEX snapshot_entries_order ON snapshot_entries (snapshot, seq);
`,
  // Statements read the entries of one wallet in their order, which each index has at its end.
  `
  CREATE INDEX entries_of_wallet ON entries (wallet) WHERE book = 'available';
`
]
