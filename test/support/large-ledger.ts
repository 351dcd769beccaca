import SQLite from 'better-sqlite3'

/** Distance between the numbers of two copies: one payment has fewer rows in each table. */
const distance = 10

/** Changed columns of a copied row, as SQL; `i` is the number of the copy. */
const copied: Record<string, { where: string; columns: Record<string, string> }> = {
  payments: {
    where: 'seq = $payment',
    columns: {
      seq: `seq + i * ${distance}`,
      id: "unhex(printf('%08x%024x', $payment, i))",
      details: "json_set(details, '$.id', " + "printf('%08x-0000-0000-0000-%012x', $payment, i))"
    }
  },
  moves: { where: 'payment = $payment', columns: { payment: `payment + i * ${distance}` } },
  entries: {
    where: 'payment = $payment',
    columns: { seq: 'NULL', payment: `payment + i * ${distance}` }
  },
  callbacks: {
    where: 'payment = $payment',
    columns: { seq: `seq + i * ${distance}`, payment: `payment + i * ${distance}` }
  },
  due_queue: {
    where: 'subject = $payment AND queue = 0',
    columns: { subject: `subject + i * ${distance}` }
  }
}

/**
 * Copies the rows of a payment in a ledger that no server has open, because accepting so many
 * payments would take long. Afterwards there are `count` of them. The numbers of the first payments
 * of a ledger are smaller than the distance of the copies, so copies of several do not collide.
 */
export function multiplyPayment (db: string, payment: number, count: number): void {
  const connection = new SQLite(db)
  connection.exec('BEGIN')
  for (const [table, { where, columns }] of Object.entries(copied)) {
    const names = connection
      .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
      .pluck()
      .all(table)
    const values = names.map((name) => columns[name] ?? name).join(', ')
    connection
      .prepare(
        `
      WITH RECURSIVE copy (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copy WHERE i < $last)
      INSERT INTO ${table} (${names.join(', ')})
      SELECT ${values} FROM copy CROSS JOIN (SELECT * FROM ${table} WHERE ${where})`
      )
      .run({ last: count - 1, payment })
  }
  // The wallets follow their entries.
  connection.exec(`
    UPDATE wallets SET
      available = (SELECT sum(amount) FROM entries WHERE wallet = id AND book = 'available'),
      reserved = coalesce(
        (SELECT sum(amount) FROM entries WHERE wallet = id AND book = 'reserved'), 0);
    COMMIT`)
  connection.close()
}
