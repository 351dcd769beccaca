import SQLite from 'better-sqlite3'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Arrival } from '../../support/receiver.ts'
import { kinds } from '../../support/bodies.ts'
import { until, type Running } from '../../support/server-process.ts'
import { isFinal, look, repeat, tokens } from './traffic.ts'
import type { ClientLog, Logged, Rec } from './traffic.ts'

/** What must be true after a crash, seen from outside and checked against the client's own log. */

/** Finds a damaged file before the server opens it. The copy has its log as the crash left it. */
export function checkFile (db: string, problems: string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'momock-integrity-'))
  try {
    const copy = join(folder, basename(db))
    copyFileSync(db, copy)
    if (existsSync(`${db}-wal`)) copyFileSync(`${db}-wal`, `${copy}-wal`)
    const connection = new SQLite(copy)
    const verdict = connection.pragma('integrity_check', { simple: true })
    connection.close()
    if (verdict !== 'ok') problems.push(`integrity_check says ${String(verdict)}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Every payment that was answered exists once and unchanged; nothing exists that was refused. */
export async function checkPayments (
  server: Running,
  log: ClientLog,
  payments: readonly Logged[]
): Promise<void> {
  for (let n = 0; n < payments.length; n += 50) {
    await Promise.all(
      payments.slice(n, n + 50).map(async (payment) => {
        await repeat({ server, log }, payment)
        await look({ server, log }, payment)
      })
    )
  }
  for (const token of tokens) await checkList(server, log, token)
}

async function checkList (server: Running, log: ClientLog, token: string): Promise<void> {
  const client = server.as(token)
  const listed = await client.payments()
  const keys = listed.map(({ kind, id }) => `${kind} ${id}`)
  const present = new Set(keys)
  if (present.size !== keys.length) {
    log.problems.push(`${keys.length - present.size} payments of ${token} are listed twice`)
  }
  for (const { kind, id, outcome } of log.payments.filter((payment) => payment.token === token)) {
    const key = `${kind} ${id}`
    if (outcome === 'accepted' && !present.has(key)) log.problems.push(`${key} is lost`)
    if (outcome === 'refused' && present.has(key)) {
      log.problems.push(`${key} was refused and exists`)
    }
  }
  const { hold, invariants } = await client.invariants()
  const broken = invariants.filter(({ broken }) => broken > 0)
  if (!hold) log.problems.push(`invariants of ${token} are broken: ${JSON.stringify(broken)}`)
}

/** Waits until every payment has ended and every callback was taken. */
export async function settle (server: Running, log: ClientLog): Promise<void> {
  for (const { kind, token, id, outcome, final } of log.payments) {
    if (kind !== 'checkout' || outcome !== 'accepted' || final !== undefined) continue
    await server.call('POST', `/v2/checkouts/${id}/expire`, undefined, { token })
  }
  for (const token of tokens) {
    const client = server.as(token)
    const open = async () => (await client.payments()).filter((one) => isOpen(log, one))
    await until(open, isEmpty, 60_000)
    await until(() => client.callbacks({ state: 'PENDING' }), isEmpty, 60_000)
  }
}

/** A checkout nobody was told of is not expired by the client, and stays open for minutes. */
function isOpen (log: ClientLog, { kind, id, status }: Listed): boolean {
  if (isFinal(status)) return false
  return kind !== 'checkout' || log.payments.find((one) => one.id === id)?.outcome === 'accepted'
}

interface Listed {
  kind: string
  id: string
  status: string
}

const isEmpty = (list: readonly unknown[]): boolean => list.length === 0

/** Every payment that has ended was called back with its end. */
export async function checkCallbacks (
  server: Running,
  log: ClientLog,
  arrivals: readonly Arrival[]
): Promise<void> {
  const told = new Set(arrivals.map(({ text }) => claimOf(text)))
  for (const payment of log.payments) {
    const record = await look({ server, log }, payment)
    if (record === undefined) continue
    const { kind, id } = payment
    if (!isFinal(record.status)) log.problems.push(`${kind} ${id} has not ended: ${record.status}`)
    else if (!told.has(`${id} ${record.status}`)) {
      log.problems.push(`${kind} ${id} is ${record.status}, and no callback has said so`)
    }
  }
}

/** The identifier and the status that a callback tells of. */
function claimOf (text: string): string {
  const body: Rec & Record<string, unknown> = JSON.parse(text)
  // A refund and a payout of a split payment name other payments too: their own id comes first.
  const field = idFields.find((field) => Object.keys(body)[0] === field) ?? 'none'
  return `${String(body[field])} ${body.status}`
}

const idFields = Object.values(kinds).map(({ idField }) => idField)
