/** What a statement does. A script is several statements whose results nobody needs. */
export type StatementKind =
  | 'begin'
  /** Begins a transaction whose reads all see the same state. */
  | 'beginRead'
  | 'commit'
  | 'rollback'
  /** Begins or ends a part of a transaction that can be taken back alone. */
  | 'beginPart'
  | 'endPart'
  | 'read'
  | 'change'
  | 'script'
  | 'other'

/** Kinds of the statements that begin or end something, by their texts. */
const kindsOfBounds: Readonly<Record<string, StatementKind>> = {
  BEGIN: 'begin',
  'BEGIN ISOLATION LEVEL REPEATABLE READ': 'beginRead',
  COMMIT: 'commit',
  ROLLBACK: 'rollback',
  'SAVEPOINT work': 'beginPart',
  'RELEASE work': 'endPart'
}

/** Kinds of the statements that can be a part of any transaction, by their first words. */
const kindsOfFirstWords: Readonly<Record<string, StatementKind>> = {
  SELECT: 'read',
  INSERT: 'change',
  UPDATE: 'change',
  DELETE: 'change',
  WITH: 'change'
}

/** Returns the kind of a statement. Its text is read here and nowhere else. */
export function readKind (text: string): StatementKind {
  return kindsOfBounds[text] ?? kindsOfFirstWords[/^\w+(?= )/.exec(text)?.[0] ?? ''] ?? 'other'
}

/** Returns the table of the rows that a statement changes, if it looks at nothing else. */
export function readChangedTable (text: string): string | undefined {
  return /^(?:UPDATE|DELETE FROM) (\w+)(?!.*SELECT)/s.exec(text)?.[1]
}
