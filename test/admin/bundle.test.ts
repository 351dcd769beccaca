import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { MomockClient } from '../../src/client/client.ts'
import { tarEnd, writeTarEntry } from '../../src/lib/tar.ts'
import { prefix, requests } from '../support/examples.ts'
import { build, folder } from '../support/helper.ts'
import { withLedger } from '../support/postgres.ts'

/** Archive for bug reports, as the tar of the system unpacks it. */

function unpack (t: Test, archive: Uint8Array, compressed = true): string {
  const path = folder(t)
  writeFileSync(join(path, 'archive'), archive)
  execFileSync('tar', [compressed ? '-xzf' : '-xf', 'archive'], { cwd: path })
  return path
}

const secrets = { token: 'secret-shop-token', adminToken: 'secret-admin-token' }

t.test('the archive has payments, callbacks, requests, seed and settings', async (t) => {
  const mock = await build(t, { ...secrets, clock: 'frozen', seed: 'my-seed' })
  const client = new MomockClient(mock.url, secrets.token, { adminToken: secrets.adminToken })
  await client.configure({ callbacks: { deposits: (await client.sink('shop')).url } })
  const made: string[] = []
  for (const version of ['v1', 'v2'] as const) {
    for (const kind of ['deposit', 'payout'] as const) {
      const request = requests[version][kind]!()
      await mock.call('POST', `${prefix[version]}/${kind}s`, request)
      made.push(request[`${kind}Id`])
    }
  }
  await client.advance('1m')
  const path = join(unpack(t, await client.bundle()), 'momock-bundle')
  const read = (name: string): any => JSON.parse(readFileSync(join(path, name), 'utf8'))
  const readLines = (name: string): any[] =>
    readFileSync(join(path, name), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  t.match(read('server.json'), { momock: /^\d/, node: process.version, seed: 'my-seed' })
  t.match(read('account.json'), { name: 'default', settings: { callbacks: { deposits: /sink/ } } })
  t.match(read('clock.json'), { mode: 'frozen' })
  t.match(read('invariants.json'), { hold: true })
  t.same(new Set(readLines('payments.jsonl').map(({ id }) => id)), new Set(made))
  t.equal(readLines('callbacks.jsonl').length, 2)
  t.equal(readLines('requests.jsonl').length, 4)
  for (const file of readdirSync(path)) {
    const text = readFileSync(join(path, file), 'utf8')
    for (const secret of Object.values(secrets)) t.notOk(text.includes(secret), `${file} ${secret}`)
  }
})

t.test('an account without anything has an archive, and its token is hidden', async (t) => {
  const mock = await build(t)
  const client = new MomockClient(mock.url, 'sandbox-secret-name')
  const path = join(unpack(t, await client.bundle()), 'momock-bundle')
  t.equal(readFileSync(join(path, 'payments.jsonl'), 'utf8'), '')
  for (const file of readdirSync(path)) {
    t.notOk(readFileSync(join(path, file), 'utf8').includes('sandbox-secret-name'), file)
  }
})

t.test('the archive shows the answer of a call that failed, and is not empty there', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await build(t, { db, callbackUrl: 'http://127.0.0.1:9/callbacks' })
  await first.call('POST', '/v2/deposits', requests.v2.deposit!())
  await first.call('POST', '/__admin/clock/advance', { by: '1m' })
  await first.app.close()
  await withLedger(t, db, (ledger) => ledger.prepare("UPDATE attempts SET attempt = '{'").run())
  const uncheckedBecause = 'the ledger is broken'
  const { url } = await build(t, { db }, undefined, { uncheckedBecause })
  const archive = await new MomockClient(url, 'test-token').bundle()
  const path = join(unpack(t, archive), 'momock-bundle')
  const [line] = readFileSync(join(path, 'callbacks.jsonl'), 'utf8').split('\n')
  t.match(JSON.parse(line), {
    problem: /^GET \/__admin\/callbacks.* was answered with 500$/,
    answer: { error: { message: String } }
  })
  t.match(JSON.parse(readFileSync(join(path, 'clock.json'), 'utf8')), { mode: 'running' })
})

t.test('a tar archive is read by tar, for every length of a file', async (t) => {
  const lengths = [0, 1, 511, 512, 513, 100_000]
  const entries = lengths.map((length) =>
    writeTarEntry(`files/${length}.txt`, Buffer.alloc(length, 'a'), Date.parse('2026-01-31'))
  )
  const path = unpack(t, Buffer.concat([...entries, tarEnd]), false)
  for (const length of lengths) {
    t.equal(readFileSync(join(path, `files/${length}.txt`)).length, length)
  }
  t.throws(() => writeTarEntry('x'.repeat(101), Buffer.alloc(0), 0), /too long/)
})
