import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { randomUUID } from 'node:crypto'
import { bodyOf } from '../test/support/bodies.ts'
import { startServer, until, type Running } from '../test/support/server-process.ts'
import { multiplyPayment } from '../test/support/large-ledger.ts'

/**
 * `npm run bench -- admin-calls COUNT`: calls about an account with many payments. For each call:
 * its time, the longest delay of the event loop, and the longest work of the thread without a
 * break. Ends with an error if the event loop worked for longer than the limit.
 */

const count = Number(process.argv[2] ?? 200_000)
const pending = Math.ceil(count / 10)
const limitMs = 50
const probe = fileURLToPath(new URL('delay-probe.js', import.meta.url))

/** Calls in order. They leave the account as they find it, except those that say otherwise. */
const calls: Array<[name: string, method: string, path: string, body?: object]> = [
  ['list without a match', 'GET', '/__admin/payments?status=FAILED'],
  ['list by phone', 'GET', '/__admin/payments?phoneNumber=260763000000'],
  ['list of a kind', 'GET', '/__admin/payments?kind=payout'],
  ['accounts', 'GET', '/__admin/accounts'],
  ['callbacks without a match', 'GET', '/__admin/callbacks?state=EXHAUSTED'],
  ['callbacks of a URL', 'GET', '/__admin/callbacks?url=http://127.0.0.1:1/none'],
  ['phone', 'GET', '/__admin/phone/260763000000'],
  ['coverage', 'GET', '/__admin/coverage'],
  ['invariants', 'GET', '/__admin/invariants'],
  ['metrics', 'GET', '/__admin/metrics'],
  ['count', 'POST', '/__admin/requests/count', { path: '/v2/deposits' }],
  ['find', 'POST', '/__admin/requests/find', { path: '/v2/deposits' }],
  [
    'verify',
    'POST',
    '/__admin/verify',
    {
      expectations: [
        { callback: { kind: 'deposit' }, atLeast: 1 },
        { request: { method: 'POST', path: '/v2/deposits' }, atLeast: 1 }
      ]
    }
  ],
  ['snapshot', 'POST', '/__admin/snapshots', { name: 'large' }],
  ['export', 'GET', '/__admin/snapshots/large/file'],
  ['advance', 'POST', '/__admin/clock/advance', { by: '1h' }],
  ['restore', 'POST', '/__admin/snapshots/large/restore'],
  ['snapshot again', 'POST', '/__admin/snapshots', { name: 'large' }],
  ['reset, payments kept', 'POST', '/__admin/reset?keep=payments,callbacks'],
  ['restore again', 'POST', '/__admin/snapshots/large/restore'],
  ['reset', 'POST', '/__admin/reset'],
  ['delete snapshot', 'DELETE', '/__admin/snapshots/large']
]

const folder = mkdtempSync(join(tmpdir(), 'momock-large-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const db = join(folder, 'ledger.db')
const args = ['--clock', 'frozen', '--log-level', 'error']
await fillLedger()

const server = await startServer({ db, args, nodeArgs: ['--import', probe] })
await deposit(server)
// The first call of each loads modules, on a small account.
for (const [, ...call] of calls) await send('sandbox-small', ...call)
await readProbe(server)
let longest = 0
for (const [name, ...call] of calls) {
  const begun = performance.now()
  const status = await send('test-token', ...call)
  const ms = performance.now() - begun
  const [delay, work] = await readProbe(server)
  longest = Math.max(longest, work)
  const isOk = status < 300 ? '' : `  answered ${status}`
  console.log(
    `${name.padEnd(26)}${(ms / 1000).toFixed(2).padStart(7)} s` +
      `${delay.toFixed(0).padStart(7)} ms delay${work.toFixed(0).padStart(7)} ms work${isOk}`
  )
}
await server.stop()
console.log(`longest work ${longest.toFixed(0)} ms, limit ${limitMs} ms, ${count} payments`)
process.exitCode = longest > limitMs ? 1 : 0

async function send (token: string, method: string, path: string, body?: object): Promise<number> {
  const response = await fetch(server.url + path, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' })
    },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  await response.text()
  return response.status
}

/** Fills a ledger: most payments are complete and were called back, some are pending. */
async function fillLedger (): Promise<void> {
  const first = await startServer({ db, args: [...args, '--callback-url', 'http://127.0.0.1:9/'] })
  await deposit(first)
  await first.call('POST', '/__admin/clock/advance', { by: '1h' })
  await first.stop()
  const second = await startServer({ db, args })
  await deposit(second)
  await second.stop()
  multiplyPayment(db, 1, count - pending)
  multiplyPayment(db, 2, pending)
}

async function deposit (server: Running): Promise<void> {
  await server.call('POST', '/v2/deposits', bodyOf('deposit', 'v2', { id: randomUUID() }))
}

/** Returns the longest delay and the longest work since the last time, in milliseconds. */
async function readProbe (server: Running): Promise<[delay: number, work: number]> {
  const heard = server.log().length
  process.kill(server.pid, 'SIGUSR2')
  const text = await until(
    () => server.log().slice(heard),
    (log) => log.includes('longest work')
  )
  const [, delay, work] = /longest delay (\S+) ms, longest work (\S+) ms/.exec(text) ?? []
  return [Number(delay), Number(work)]
}
