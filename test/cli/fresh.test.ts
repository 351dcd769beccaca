import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { folder } from '../support/helper.ts'
import { deposit, run, serve } from '../support/process.ts'

/** `momock start --fresh`, and the note about an earlier run. */

t.test('a server names the changes of an earlier run, and --fresh removes them', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await serve(t, ['--db', db])
  t.notOk('earlier' in first.ready, 'a new ledger has no changes')
  const { depositId, ...rest } = deposit()
  await first.call('POST', '/v2/deposits', { depositId, ...rest })
  await first.call('PATCH', '/__admin/account', { signedCallbacks: false })
  await first.call('PUT', '/__admin/clock', { mode: 'frozen', now: '2026-01-01T00:00:00Z' })
  await first.stop()

  const second = await serve(t, ['--db', db])
  t.match(
    second.ready.earlier,
    "account 'default' has changed settings (signedCallbacks) and a frozen clock " +
      '(2026-01-01T00:00:00Z)'
  )
  t.match(second.ready.earlier, '--fresh')
  t.match((await second.call('GET', `/v2/deposits/${depositId}`)).body, { status: /^FOUND$/ })
  await second.stop()

  const third = await serve(t, ['--db', db, '--fresh'])
  t.notOk('earlier' in third.ready)
  t.match((await third.call('GET', `/v2/deposits/${depositId}`)).body, { status: 'NOT_FOUND' })
  t.match((await third.call('GET', '/__admin/clock')).body, { mode: 'running' })
})

t.test('--fresh refuses a ledger in use and leaves it unchanged', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const { call } = await serve(t, ['--db', db])
  const { depositId, ...rest } = deposit()
  await call('POST', '/v2/deposits', { depositId, ...rest })
  t.match(await run(t, ['--port', '0', '--db', db, '--fresh']), {
    code: 4,
    stderr: /^momock cannot start: the ledger \S+ is in use by another process; stop that one/
  })
  t.match((await call('GET', `/v2/deposits/${depositId}`)).body, { status: /^FOUND$/ })
  t.match((await call('POST', '/v2/deposits', deposit())).body, { status: 'ACCEPTED' })
})

t.test('--fresh does not delete a file that is not a ledger', async (t) => {
  const home = folder(t)
  const notes = join(home, 'notes.txt')
  writeFileSync(notes, 'dear diary')
  const other = join(home, 'other.db')
  new SQLite(other).exec('CREATE TABLE t (a)').close()
  for (const path of [notes, other]) {
    const before = readFileSync(path)
    t.match(await run(t, ['--port', '0', '--db', path, '--fresh']), {
      code: 4,
      stderr: /is not a momock ledger, so --fresh does not delete it/
    })
    t.ok(readFileSync(path).equals(before), `${path} is unchanged`)
  }
})

t.test('--fresh replaces a damaged ledger', async (t) => {
  const db = join(folder(t), 'ledger.db')
  await (await serve(t, ['--db', db])).stop()
  const bytes = readFileSync(db)
  bytes.fill(0xff, 100)
  writeFileSync(db, bytes)
  t.match(await run(t, ['--port', '0', '--db', db]), { code: 4, stderr: /damaged/ })
  const { call } = await serve(t, ['--db', db, '--fresh'])
  t.match((await call('POST', '/v2/deposits', deposit())).body, { status: 'ACCEPTED' })
})

t.test('--fresh deletes nothing if the configuration is wrong', async (t) => {
  const home = folder(t)
  const db = join(home, 'ledger.db')
  await (await serve(t, ['--db', db])).stop()
  const size = readFileSync(db).length
  writeFileSync(join(home, 'momock.yaml'), 'accounts: [{ name: a, providers: [NOPE] }]')
  t.match(await run(t, ['--port', '0', '--db', db, '--fresh'], { cwd: home }), { code: 2 })
  t.ok(existsSync(db))
  t.equal(readFileSync(db).length, size)
})
