import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { MomockClient, MomockError } from '../../src/client/client.ts'
import { prefix, requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { runCommand } from '../support/command-runner.ts'
import { build, folder, receiver, testMachine, type Mock } from '../support/helper.ts'

/** Snapshots that are written to a file and read by another server. */

const start = '2026-01-31T12:00:00.000Z'
const clientOf = ({ url }: Mock, token = 'test-token') => new MomockClient(url, token)
const buildFrozen = (t: Test, options = {}): Promise<Mock> =>
  build(t, { clock: 'frozen', ...options }, testMachine(start))

/** Visible state of an account. */
async function look (client: MomockClient): Promise<object> {
  const payments = await client.payments()
  return {
    payments: await Promise.all(payments.map(({ kind, id }) => client.payment(kind, id))),
    scenarios: await client.scenarios(),
    providers: await client.providers(),
    wallets: await client.wallets({ country: 'ZMB' }),
    clock: await client.clock(),
    settings: (await client.account()).settings.companyName
  }
}

/** Leaves out what is new in another ledger: the numbers and signatures of callbacks. */
function withoutNumbers (account: object): unknown {
  const isNew = (key: string, value: unknown): boolean =>
    key === 'signature' || key === 'date' || (key === 'id' && Number.isInteger(value))
  return JSON.parse(JSON.stringify(account, (key, value) => (isNew(key, value) ? 0 : value)))
}

/** Makes an account with something in every table: all kinds, links, statements, callbacks. */
async function fill (mock: Mock, url: string): Promise<void> {
  const client = clientOf(mock)
  await client.configure({
    companyName: 'Exported',
    callbacks: { deposits: url, payouts: url, checkouts: url }
  })
  await client.scenario({
    name: 'third',
    when: { kind: 'payout' },
    fail: 'UNKNOWN_ERROR',
    every: 3
  })
  await client.provider('MTN_MOMO_ZMB', { REMITTANCE: 'DELAYED', for: '10m' })
  for (const version of ['v1', 'v2'] as const) {
    for (const kind of ['deposit', 'payout'] as const) {
      const path = `${prefix[version]}/${kind}s`
      await mock.call('POST', path, requests[version][kind]!())
    }
  }
  await client.advance('1m')
  await mock.call('POST', '/v2/remittances', requests.v2.remittance!())
  await mock.call('POST', '/v2/splits', requests.v2.splitPayment!())
  await mock.call('POST', '/v2/checkouts', {
    checkoutId: requests.v2.deposit!().depositId,
    returnUrl: 'https://shop.example/back'
  })
  await mock.call('POST', '/v2/statements', {
    wallet: { country: 'ZMB', currency: 'ZMW' },
    callbackUrl: url,
    startDate: '2026-01-30T00:00:00',
    endDate: '2026-02-01T00:00:00',
    compressed: false
  })
  await mock.call('POST', '/v2/payouts', requests.v2.payout!())
}

t.test('another server restores a snapshot of a file and goes on from there', async (t) => {
  const { url } = await receiver(t)
  const source = await buildFrozen(t)
  await fill(source, url)
  await clientOf(source).snapshot('full')
  const file = await clientOf(source).exportSnapshot('full')
  const before = await look(clientOf(source))

  const target = await buildFrozen(t)
  // Rows of its own, whose numbers are those of the file.
  await target.call('POST', '/v2/deposits', requests.v2.deposit!(), {
    authorization: 'Bearer sandbox-other'
  })
  await target.call('POST', '/v2/payouts', requests.v2.payout!())
  const client = clientOf(target)
  t.match(await client.importSnapshot('full', new Uint8Array(file)), {
    name: 'full',
    payments: (await clientOf(source).payments()).length
  })
  t.equal((await client.payments()).length, 1, 'nothing changes before the restore')
  await client.restore('full')
  t.strictSame(withoutNumbers(await look(client)), withoutNumbers(before))
  t.match(await client.invariants(), { hold: true })

  for (const one of [clientOf(source), client]) await one.advance('20m')
  t.strictSame(withoutNumbers(await look(client)), withoutNumbers(await look(clientOf(source))))
  t.match(await client.invariants(), { hold: true })
  t.equal((await clientOf(target, 'sandbox-other').payments()).length, 1)
  await client.restore('full')
  t.match(await client.invariants(), { hold: true })
})

t.test('an import replaces a snapshot of the same name and survives a restart', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const first = await buildFrozen(t, { db })
  const client = clientOf(first)
  await first.call('POST', '/v2/deposits', requests.v2.deposit!())
  await client.snapshot('one')
  const file = new Uint8Array(await client.exportSnapshot('one'))
  await first.call('POST', '/v2/deposits', requests.v2.deposit!())
  await client.snapshot('one')
  t.match(await client.snapshots(), [{ name: 'one', payments: 2 }])
  await client.importSnapshot('one', file)
  t.match(await client.snapshots(), [{ name: 'one', payments: 1 }])
  await first.app.close()
  const second = clientOf(await buildFrozen(t, { db }))
  await second.restore('one')
  t.equal((await second.payments()).length, 1)
})

t.test('links of another account on the same server are not taken over', async (t) => {
  const mock = await buildFrozen(t)
  await mock.call('POST', '/v2/checkouts', {
    checkoutId: requests.v2.deposit!().depositId,
    returnUrl: 'https://shop.example/back'
  })
  await clientOf(mock).snapshot('linked')
  const file = new Uint8Array(await clientOf(mock).exportSnapshot('linked'))
  const other = clientOf(mock, 'sandbox-other')
  await other.importSnapshot('linked', file)
  await t.rejects(other.restore('linked'), {
    status: 409,
    message: /its links and statements exist in account 'default' of this server/
  })
  await clientOf(mock).reset()
  await other.restore('linked')
  t.equal((await other.payments()).length, 1)
  await t.rejects(clientOf(mock).restore('linked'), {
    status: 409,
    message: /its links and statements exist in account 'sandbox-other' of this server/
  })
  t.match(await mock.call('POST', '/v2/deposits', requests.v2.deposit!()), {
    body: { status: 'ACCEPTED' }
  })
  await other.reset()
  // At once, too, one of them is first.
  const third = clientOf(mock, 'sandbox-third')
  await third.importSnapshot('linked', file)
  const both = await Promise.allSettled([other.restore('linked'), third.restore('linked')])
  t.same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  await Promise.all([other.reset(), third.reset()])
  await clientOf(mock).restore('linked')
})

/** Numbers of payments: rows of one transaction, and of several. */
for (const count of [20, 3000]) {
  const options = count === 3000 ? long : {}
  t.test(`a file with ${count} payments and the same identifier twice`, options, async (t) => {
    const db = join(folder(t), 'ledger.db')
    const mock = await buildFrozen(t, { db })
    const client = clientOf(mock)
    for (let sent = 0; sent < count; sent += 20) {
      const payouts = Array.from({ length: 20 }, () => ({ ...requests.v2.payout!(), amount: '1' }))
      await mock.call('POST', '/v2/payouts/bulk', payouts)
    }
    await client.snapshot('good')
    const lines = await readLines(client, 'good')
    const isPayment = (line: string): boolean => line.startsWith('["payments"')
    const [first, last] = [lines.findIndex(isPayment), lines.findLastIndex(isPayment)]
    for (const id of [/"id":\{[^}]+\}/, /\\"id\\":\\"[^"]+"/]) {
      lines[last] = lines[last].replace(id, id.exec(lines[first])![0])
    }
    const error = await client.importSnapshot('twice', pack(lines)).catch((error: unknown) => error)
    t.match(error, { status: 400, message: /it has a row twice/ })
    t.match(await client.snapshots(), [{ name: 'good' }])

    const countAll = async (): Promise<number> =>
      (await mock.call('GET', '/__admin/payments/counts')).body.counts[0]?.count ?? 0
    t.equal(await countAll(), count)
    t.match(await mock.call('POST', '/v2/payouts', requests.v2.payout!()), {
      body: { status: 'ACCEPTED' }
    })
    t.match(await client.invariants(), { hold: true })
    await client.restore('good')
    t.equal(await countAll(), count, 'the other snapshot is kept')
    await mock.app.close()
    const again = await buildFrozen(t, { db })
    t.match(await clientOf(again).invariants(), { hold: true }, 'nothing is left to do')
  })
}

async function readLines (client: MomockClient, name: string): Promise<string[]> {
  return gunzipSync(await client.exportSnapshot(name)).toString().trimEnd().split('\n')
}

function pack (lines: readonly string[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(`${lines.join('\n')}\n`))
}

t.test('a server with another seed refuses the restore', async (t) => {
  const source = clientOf(await buildFrozen(t))
  await source.snapshot('one')
  const file = new Uint8Array(await source.exportSnapshot('one'))
  const target = clientOf(await buildFrozen(t, { seed: 'another' }))
  await target.importSnapshot('one', file)
  await t.rejects(target.restore('one'), { status: 409, message: /seed/ })
})

/** Changes of the lines of a good file that make it unusable. */
const damages: Array<[what: string, change: (lines: string[]) => string[], says: RegExp]> = [
  ['another file', () => ['hello'], /line 1 is not JSON/],
  ['other JSON', () => ['{"a":1}'], /it is no snapshot of momock/],
  [
    'another version',
    ([header, ...rest]) => [header.replace(/"ledger":\d+/, '"ledger":999'), ...rest],
    /by momock [\w.-]+ with version 999 of the ledger, .* has version \d+; export it again/
  ],
  ['a part', (lines) => lines.slice(0, -3), /it is not complete: it ends after \d+ rows/],
  [
    'a missing row',
    (lines) => lines.filter((_, index) => index !== lines.length - 2),
    /it says that it has \d+ rows, but it has/
  ],
  ['a line that is no row', (lines) => lines.with(3, '[1]'), /line 4 is no row/],
  [
    'an unknown table',
    (lines) => lines.with(3, '["accounts",{"id":1}]'),
    /line 4, a row of accounts: there is no table 'accounts'/
  ],
  [
    'a strange number',
    (lines) => lines.map((line) => line.replace(/"payment":\d+/, '"payment":987654')),
    /a row of \w+: payment refers to number 987654 of payments, which is not before it/
  ],
  [
    'a missing value',
    (lines) => lines.map((line) => line.replace(/^(\["moves".*)"payment":\d+/, '$1"payment":null')),
    /a row of moves: payment must be the number of a row, got null/
  ],
  ['lines after its end', (lines) => [...lines, lines[2]], /there are lines after its end/]
]

t.test('a file that cannot be used is refused with the reason and stores nothing', async (t) => {
  const mock = await buildFrozen(t)
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  const client = clientOf(mock)
  await client.advance('1m')
  await client.snapshot('good')
  const lines = await readLines(client, 'good')
  for (const [what, change, says] of damages) {
    const error = await client
      .importSnapshot('bad', pack(change([...lines])))
      .catch((error: unknown) => error)
    t.ok(error instanceof MomockError && error.status === 400, what)
    t.match(String(error), says, what)
  }
  const plain = new Uint8Array(Buffer.from('not compressed'))
  await t.rejects(client.importSnapshot('bad', plain), { status: 400, message: /unpacked/ })
  const cut = new Uint8Array(gzipSync(lines.join('\n')).subarray(0, 200))
  await t.rejects(client.importSnapshot('bad', cut), { status: 400, message: /unpacked/ })
  t.match(await mock.call('PUT', '/__admin/snapshots/bad/file'), { status: 400 })
  t.match(await client.snapshots(), [{ name: 'good' }])
  t.equal((await client.snapshots()).length, 1)
  await t.rejects(client.exportSnapshot('god'), { status: 404, message: /did you mean good/ })
})

t.test('a file with other due work or another attempt stops no advance', async (t) => {
  const { url } = await receiver(t)
  const mock = await buildFrozen(t, { callbackUrl: url })
  const client = clientOf(mock)
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await client.advance('1m')
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  await client.snapshot('good')
  const lines = await readLines(client, 'good')
  const change = (from: RegExp, to: string): string[] => {
    const changed = lines.map((line) => line.replace(from, to))
    t.notSame(changed, lines)
    return changed
  }
  await t.rejects(client.importSnapshot('bad', pack(change(/^(\["attempts".*"n":)0/, '$11'))), {
    status: 400,
    message: /a row of attempts: n must be less than 1, the attempts of its callback, got 1/
  })
  // A release that is due at any time.
  await client.importSnapshot('bad', pack(change(/^(\["due_queue".*"queue":)0/, '$14')))
  await client.restore('bad')
  await client.advance('1m')
  t.match(await mock.call('GET', '/health'), { status: 200 })
})

t.test('momock snapshot writes a file and reads it', async (t) => {
  const source = await buildFrozen(t)
  await source.call('POST', '/v2/deposits', requests.v2.deposit!())
  const target = await buildFrozen(t)
  const at = folder(t)
  const run = (...args: string[]) => runCommand(t, ['snapshot', ...args], { cwd: at })
  t.match(await run('export', 'paid.gz', '--url', source.url), {
    code: 0,
    stdout: /^wrote paid\.gz, \d+ bytes\n$/
  })
  t.ok(readFileSync(join(at, 'paid.gz')).length > 100)
  t.match(await run('import', 'paid.gz', '--url', target.url), {
    code: 0,
    stdout: 'the account is restored: 1 payments of paid.gz\n'
  })
  t.equal((await clientOf(target).payments()).length, 1)
  t.strictSame(await clientOf(target).snapshots(), [])
  t.match(await run('import', 'paid.gz', '--name', 'kept', '--url', target.url), {
    code: 0,
    stdout: "stored as snapshot 'kept': 1 payments of paid.gz\n"
  })
  t.match(await run('export', 'again.gz', '--name', 'kept', '--url', target.url), { code: 0 })
  writeFileSync(join(at, 'bad.gz'), 'x')
  const wrongs: Array<[args: string[], code: number, says: RegExp]> = [
    [['import', 'bad.gz', '--url', target.url], 1, /the file cannot be used/],
    [['import', 'none.gz', '--url', target.url], 1, /no such file/],
    [['export', 'bad.gz/folder.gz', '--url', target.url], 1, /EEXIST|ENOTDIR/],
    [['export', 'x.gz', '--name', 'keptt', '--url', target.url], 1, /no snapshot 'keptt'/],
    [['copy', 'x.gz'], 2, /say export or import, not 'copy'/],
    [[], 2, /say export or import/],
    [['export'], 2, /name the file/],
    [['export', 'x.gz', '--url', 'http://127.0.0.1:9'], 3, /there is no momock at/]
  ]
  for (const [args, code, says] of wrongs) {
    t.match(await run(...args), { code, stderr: says }, args.join(' '))
  }
})

t.test('momock snapshot leaves the snapshots of the user alone', async (t) => {
  const mock = await buildFrozen(t)
  const client = clientOf(mock)
  await client.snapshot('momock-file')
  await mock.call('POST', '/v2/deposits', requests.v2.deposit!())
  const at = folder(t)
  writeFileSync(join(at, 'bad.gz'), 'x')
  const before = await client.snapshots()
  const rows: Array<[args: string[], code: number]> = [
    [['export', 'new/folder/paid.gz'], 0],
    [['export', 'bad.gz/paid.gz'], 1],
    [['import', 'new/folder/paid.gz'], 0],
    [['import', 'bad.gz'], 1]
  ]
  for (const [args, code] of rows) {
    const words = ['snapshot', ...args, '--url', mock.url]
    t.match(await runCommand(t, words, { cwd: at }), { code }, args.join(' '))
    t.strictSame(await client.snapshots(), before, args.join(' '))
  }
})
