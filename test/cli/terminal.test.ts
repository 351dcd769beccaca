import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import t, { type Test } from 'tap'
import { runCommand } from '../support/command-runner.ts'
import { long } from '../support/full.ts'
import { folder, receiver, until } from '../support/helper.ts'
import { command, deposit } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

/** Output of a server for people: a pipe with --log-format pretty stands in for a terminal. */

interface Started {
  url: string
  output: () => string
  stop: () => Promise<string>
  call: (method: string, path: string, body?: unknown) => Promise<number>
}

async function start (t: Test, args: string[], env: Record<string, string> = {}): Promise<Started> {
  const all = ['--port', '0', '--log-format', 'pretty', ...args]
  const words = command(all, { TZ: 'UTC', ...env })
  const { written, prints, stop } = startProgram(t, words, { cwd: folder(t) })
  await prints(/Ctrl-C/)
  const [url] = await prints(/http:\/\/127\.0\.0\.1:\d+/)
  return {
    url,
    output: () => written.stdout,
    stop: async () => (await stop('SIGINT')).stdout,
    call: async (method, path, body) => {
      const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }
      const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
      return response.status
    }
  }
}

t.test('events are printed as lines, and the end names the ledger', async (t) => {
  const merchant = await receiver(t)
  const db = join(folder(t), 'ledger.db')
  const mock = await start(t, ['--db', db])
  t.match(mock.output(), new RegExp(`  dashboard +${mock.url}/__admin/ui\n`))
  const silent = deposit()
  await mock.call('POST', '/v2/deposits', silent)
  await until(
    async () => mock.output(),
    (text) => text.includes('no callback: no URL is set')
  )
  await mock.call('PATCH', '/__admin/account', { callbacks: { deposits: merchant.url } })
  const told = deposit()
  await mock.call('POST', '/v2/deposits', told)
  await until(
    async () => mock.output(),
    // A receiver that needs long, as on a busy machine, gets a line of its own.
    (text) => / 200 in \d/.test(text)
  )
  t.equal(await mock.call('POST', '/v2/deposits', { amount: '15' }), 400)
  t.equal(await mock.call('POST', '/v2/depsits', {}), 404)
  t.equal(await mock.call('PATCH', '/__admin/nothing', {}), 404)
  const text = await mock.stop()
  const lines = text
    .split('\n')
    .filter((line) => /^\d\d:\d\d:\d\dZ {2}/.test(line) && !line.includes('callback, attempt'))
  const [first, second] = [silent, told].map(({ depositId }) => depositId.slice(0, 8))
  const patterns = [
    `deposit ${first}  15.00 ZMW MTN_MOMO_ZMB     ACCEPTED`,
    `deposit ${first}  COMPLETED (test number)    no callback: no URL is set`,
    `deposit ${second}  15.00 ZMW MTN_MOMO_ZMB     ACCEPTED`,
    `deposit ${second}  COMPLETED (test number)    callback `,
    'POST /v2/deposits 400 MISSING_PARAMETER      depositId is required',
    'POST /v2/depsits 404 NOT_FOUND               POST /v2/depsits does not exist; did you mean',
    'PATCH /__admin/nothing 404 NOT_FOUND'
  ]
  t.equal(lines.length, patterns.length, text)
  patterns.forEach((pattern, index) => t.match(lines[index], pattern))
  t.notMatch(text, '\u001b', 'a pipe has no colours')
  t.match(text, `Stopped. The ledger is kept in ${db}; the next start continues with it`)
})

t.test('a server shows the state of a used ledger, and flags without effect', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await start(t, ['--db', db])
  t.match(first.output(), /clock +runs with the system clock/)
  t.match(first.output(), /callbacks +none; set a URL with --callback-url/)
  t.notMatch(first.output(), /outages|Note/)
  const callbacks = { deposits: 'http://127.0.0.1:9/hook', refunds: 'http://127.0.0.1:9/back' }
  await first.call('PATCH', '/__admin/account', { callbacks })
  await first.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { DEPOSIT: 'CLOSED' })
  await first.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-01-01T00:00:00Z' })
  await first.stop()
  const second = await start(t, ['--db', db, '--callback-url', 'http://127.0.0.1:9/new'], {
    FORCE_COLOR: '1'
  })
  const text = second.output()
  t.match(text, '\u001b[', 'FORCE_COLOR has colours in a pipe')
  t.match(text, 'frozen at 2026-01-01T00:00:00Z until a test advances it')
  t.match(text, 'deposits to http://127.0.0.1:9/hook, refunds to http://127.0.0.1:9/back')
  t.match(text, 'MTN_MOMO_ZMB DEPOSIT CLOSED')
  t.match(text, '--callback-url has no effect: the callback URLs were changed later')
  const flags = ['--db', db, '--port', new URL(second.url).port]
  const shown = [
    'the clock: frozen at 2026-01-01T00:00:00Z until a test advances it',
    'callbacks: deposits to http://127.0.0.1:9/hook, refunds to http://127.0.0.1:9/back',
    'outages: MTN_MOMO_ZMB DEPOSIT CLOSED',
    "account 'default' has changed settings (callbacks) and a frozen clock",
    /warn +callbacks +http:\/\/127.0.0.1:9\/hook: ./,
    /warn +callbacks +http:\/\/127.0.0.1:9\/back: ./
  ]
  const { stdout: running } = await runCommand(t, ['doctor', ...flags])
  for (const line of shown) t.match(running, line, 'doctor asks the running server')
  await second.stop()
  const { stdout: stopped } = await runCommand(t, ['doctor', ...flags])
  for (const line of shown) t.match(stopped, line, 'doctor reads the ledger')
  const again = await start(t, ['--db', db])
  await again.call('POST', '/__admin/reset')
  await again.stop()
  const third = await start(t, ['--db', db, '--clock', 'frozen'])
  t.match(third.output(), '--clock frozen has no effect: the ledger already has a running clock')
})

t.test('doctor names an account that cannot be read', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const server = await start(t, ['--db', db])
  await server.call('PUT', '/__admin/clock', { mode: 'frozen' })
  await server.stop()
  const doctor = () => runCommand(t, ['doctor', '--db', db, '--port', '0'])
  t.notMatch((await doctor()).stdout, 'set aside')
  const ledger = new Database(db)
  ledger.prepare("UPDATE accounts SET state = replace(state, 'frozen', 'melted')").run()
  ledger.close()
  const { code, stdout } = await doctor()
  t.equal(code, 0)
  t.match(stdout, /warn +state +account 'default' is set aside, because it cannot be read: clock/)
  t.match(stdout, 'the clock: frozen at ')
})

t.test('a token that was changed later is shown, and its flag is named', long, async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await start(t, ['--db', db, '--token', 'early'])
  t.match(first.output(), /token +early/)
  const { status } = await fetch(`${first.url}/__admin/account`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tokens: [{ token: 'late' }] })
  })
  t.equal(status, 200)
  await first.stop()
  const second = await start(t, ['--db', db, '--token', 'early'])
  t.match(second.output(), /token +late/)
  t.match(second.output(), 'Bearer late')
  t.match(second.output(), '--token has no effect: the tokens were changed later')
  const flags = ['--db', db, '--port', new URL(second.url).port, '--token']
  t.match((await runCommand(t, ['doctor', ...flags, 'early'])).stdout, /set a token of the running/)
  t.match((await runCommand(t, ['doctor', ...flags, 'late'])).stdout, /changed settings \(tokens\)/)
  const reference = await (await fetch(`${second.url}/__admin/docs/admin-clock`)).text()
  t.match(reference, 'Bearer late')
  await second.stop()
  const { stdout } = await runCommand(t, ['doctor', ...flags, 'early'])
  t.match(stdout, /warn +state +--token has no effect/)
})

t.test('the balance of a used wallet has no effect, and that is said', long, async (t) => {
  const home = folder(t)
  const file = join(home, 'momock.yaml')
  const flags = ['--config', file, '--db', join(home, 'ledger.db')]
  const wallet = { country: 'ZMB', currency: 'ZMW' }
  const startWith = (balance: string): Promise<Started> => {
    const account = { name: 'default', tokens: [{ token: 'test-token' }] }
    const wallets = [{ ...wallet, balance }]
    writeFileSync(file, JSON.stringify({ accounts: [{ ...account, wallets }] }))
    return start(t, flags)
  }
  const first = await startWith('500.00')
  const path = '/__admin/wallets/ZMB/ZMW'
  t.equal(await first.call('PUT', path, { available: '20.00' }), 200)
  await first.stop()
  const same = await startWith('500.00')
  t.notMatch(same.output(), 'has no effect')
  await same.stop()
  const changed = await startWith('700.00')
  const note = /the balance 700\.00 of the wallet ZMB ZMW .* it was opened with 500\.00/
  t.match(changed.output().replace(/\s+/g, ' '), note)
  await changed.stop()
  t.match((await runCommand(t, ['doctor', ...flags])).stdout, note)
})

t.test('the log level hides event lines, and a ledger in memory is said to be gone', async (t) => {
  const mock = await start(t, ['--db', ':memory:', '--log-level', 'warn'])
  t.equal(await mock.call('POST', '/v2/deposits', {}), 400)
  t.notMatch(await mock.stop(), 'MISSING_PARAMETER')
  t.match(mock.output(), 'Stopped. The ledger was in memory and is gone')
})
