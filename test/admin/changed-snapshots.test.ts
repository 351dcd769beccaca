import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { requests } from '../support/examples.ts'
import { isFull } from '../support/full.ts'
import { build, folder, testMachine, type Mock } from '../support/helper.ts'

/**
 * Snapshot files with one changed field: every field of the header and of the rows of each table,
 * each with several wrong values. Whatever the import answers, the account and the server go on.
 */

const start = '2026-01-31T12:00:00.000Z'
const own = { authorization: 'Bearer sandbox-changed' }
const path = '/__admin/snapshots/changed'

/** Values that a field is changed to. `missing` takes the field away. */
const missing = Symbol('missing')
const values: unknown[] = [
  'x',
  '',
  '{',
  'null',
  '[]',
  -1,
  0.5,
  1e300,
  2 ** 53,
  null,
  true,
  {},
  [],
  [null],
  { base64: '*' },
  missing
]

/** One of so many of the 12,000 changes is tried: all of them take an hour. */
const step = isFull ? 37 : 691
/** Changes that did harm once are always tried. */
const harmful = new Set(['header taken 0.5', 'header state.clock.base 0.5'])

/** Makes an account with something in every table. */
async function fill ({ call }: Mock, url: string): Promise<void> {
  const send = (method: string, path: string, body?: unknown) => call(method, path, body, own)
  await send('PATCH', '/__admin/account', {
    companyName: 'Changed',
    callbacks: { deposits: url, payouts: url, refunds: url, checkouts: url, remittances: url },
    wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '500000' }],
    providers: ['ZMB', { provider: 'MTN_MOMO_RWA', operations: ['DEPOSIT'] }]
  })
  await send('POST', '/__admin/scenarios', {
    name: 'third',
    when: { kind: 'payout' },
    fail: 'UNKNOWN_ERROR',
    every: 3
  })
  await send('POST', '/__admin/scenarios', {
    name: 'faulty',
    when: { kind: 'deposit' },
    callback: { tampered: true, duplicates: 1 },
    statusCheck: { status: 500, for: '1m' },
    for: '10h'
  })
  const { depositId, ...deposit } = requests.v2.deposit!()
  await send('POST', '/v2/deposits', { depositId, ...deposit })
  await send('POST', '/v1/payouts', requests.v1.payout!())
  await send('POST', '/__admin/clock/advance', { by: '1m' })
  await send('POST', '/v2/refunds', { refundId: requests.v2.refund!().refundId, depositId })
  await send('POST', '/v2/remittances', requests.v2.remittance!())
  await send('POST', '/v2/splits', requests.v2.splitPayment!())
  await send('POST', '/v2/paymentpage', {
    depositId: requests.v2.deposit!().depositId,
    returnUrl: 'https://shop.example/back'
  })
  await send('POST', '/v2/checkouts', {
    checkoutId: requests.v2.deposit!().depositId,
    returnUrl: 'https://shop.example/back'
  })
  await send('POST', '/v2/statements', {
    wallet: { country: 'ZMB', currency: 'ZMW' },
    callbackUrl: url,
    startDate: '2026-01-30T00:00:00',
    endDate: '2026-02-01T00:00:00',
    compressed: false
  })
  await send('POST', '/__admin/clock/advance', { by: '2s' })
  await send('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED', for: '10m' })
  await send('POST', '/v2/payouts', requests.v2.payout!())
  await send('POST', '/v2/deposits', requests.v2.deposit!())
  await send('POST', '/v2/statements', {
    wallet: { country: 'ZMB', currency: 'ZMW' },
    callbackUrl: url,
    startDate: '2026-01-30T00:00:00',
    endDate: '2026-02-01T00:00:00',
    compressed: true
  })
}

/** Paths of the fields of a value, also inside of texts of JSON. */
function * listFields (value: unknown): Generator<string[]> {
  const inner = parse(value)
  if (typeof inner !== 'object' || inner === null) return
  for (const [name, field] of Object.entries(inner)) {
    yield [name]
    for (const rest of listFields(field)) yield [name, ...rest]
  }
  yield ['unknownField']
}

/** Returns a copy of a value with another field at a path. */
function change (value: unknown, [name, ...rest]: string[], to: unknown): unknown {
  if (name === undefined) return to
  const inner = parse(value) as Record<string, unknown>
  const copy: any = Array.isArray(inner) ? [...inner] : { ...inner }
  if (rest.length === 0 && to === missing) delete copy[name]
  else copy[name] = change(copy[name], rest, to)
  return typeof value === 'string' ? JSON.stringify(copy) : copy
}

function parse (value: unknown): unknown {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  return JSON.parse(value)
}

/** Returns the numbers of the lines whose fields are changed: one of each form. */
function chooseLines (lines: readonly string[]): number[] {
  const chosen = new Map<string, number>()
  for (const [index, line] of lines.slice(0, -1).entries()) {
    const row = JSON.parse(line)
    const [table, values] = Array.isArray(row) ? row : ['header', row]
    const variant = [values.kind, values.state?.now && 'header', values.queue > 15].join()
    const form = [...listFields(values)].map((path) => path.join('.').replace(/\.\d+/g, '')).join()
    chosen.set(`${table} ${variant} ${form.length}`, index)
  }
  return [...chosen.values()]
}

interface Change {
  what: string
  file: Buffer
}

function * listChanges (lines: readonly string[]): Generator<Change> {
  for (const index of chooseLines(lines)) {
    const row = JSON.parse(lines[index])
    const isRow = Array.isArray(row)
    for (const path of listFields(isRow ? row[1] : row)) {
      for (const to of values) {
        const changed = change(isRow ? row[1] : row, path, to)
        const line = JSON.stringify(isRow ? [row[0], changed] : changed)
        yield {
          what: [isRow ? row[0] : 'header', path.join('.'), to].map(String).join(' '),
          file: gzipSync(`${lines.with(index, line).join('\n')}\n`)
        }
      }
    }
  }
}

/** Returns what does not work after a restore. */
async function findFailures (mock: Mock): Promise<string[]> {
  const { body } = await send(mock, 'GET', '/__admin/payments')
  const calls: Array<[string, string, unknown?]> = [
    ['GET', '/__admin/payments'],
    ['GET', '/__admin/callbacks'],
    ['GET', '/__admin/account'],
    ['GET', '/__admin/clock'],
    ['GET', '/__admin/snapshots'],
    ['GET', '/__admin/scenarios'],
    ['GET', '/__admin/coverage'],
    ['GET', '/__admin/providers'],
    ['GET', '/__admin/invariants'],
    ['GET', '/__admin/wallets?country=ZMB'],
    ['GET', '/v2/wallet-balances'],
    ...(body?.payments ?? []).map(({ kind, id }: any): [string, string] => [
      'GET',
      `/__admin/payments/${kind}/${id}`
    ]),
    ['POST', '/v2/deposits', requests.v2.deposit!()],
    ['POST', '/__admin/clock/advance', { by: '20m' }],
    ['GET', '/__admin/payments'],
    ['GET', '/__admin/invariants']
  ]
  const failures: string[] = []
  for (const [method, path, body] of calls) {
    const { status } = await send(mock, method, path, body)
    if (status >= 500) failures.push(`${method} ${path.replace(/[0-9a-f-]{36}/, 'ID')} ${status}`)
  }
  return failures
}

/** Starts a receiver that takes any callback. */
async function listen (t: Test): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Sends a request whose answer need not be as documented: texts of a file can be any texts. */
async function send (
  { url }: Mock,
  method: string,
  path: string,
  body?: unknown
): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...own, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await answer.text()
  return { status: answer.status, body: /^[[{]/.test(text) ? JSON.parse(text) : text }
}

async function openFile (t: Test, url: string): Promise<string[]> {
  const mock = await build(t, { clock: 'frozen' }, testMachine(start))
  await fill(mock, url)
  await mock.call('POST', '/__admin/snapshots', { name: 'full' }, own)
  const answer = await fetch(`${mock.url}/__admin/snapshots/full/file`, { headers: own })
  return gunzipSync(await answer.arrayBuffer()).toString().trimEnd().split('\n')
}

const put = async ({ url }: Mock, file: Buffer): Promise<{ status: number; text: string }> => {
  const answer = await fetch(`${url}${path}/file`, {
    method: 'PUT',
    headers: own,
    body: new Uint8Array(file)
  })
  return { status: answer.status, text: await answer.text() }
}

t.test('a file with one changed field harms nothing', { timeout: 60 * 60_000 }, async (t) => {
  const url = await listen(t)
  const lines = await openFile(t, url)
  const changes = [...listChanges(lines)].filter(
    ({ what }, index) => index % step === 0 || harmful.has(what)
  )
  const db = join(folder(t), 'ledger.db')
  const reopen = (): Promise<Mock> => build(t, { db, clock: 'frozen' }, testMachine(start))
  let mock = await reopen()
  t.match(await put(mock, gzipSync(`${lines.join('\n')}\n`)), { status: 201, text: /"changed"/ })
  const counts = { refused: 0, conflicts: 0, restored: 0 }
  for (const { what, file } of changes) {
    const { status, text } = await put(mock, file)
    if (status === 400) {
      counts.refused++
      if (!/the file cannot be used: .*(line \d+|it )/.test(text)) t.fail(`${what}: ${text}`)
      continue
    }
    if (status !== 201) {
      t.fail(`${what}: ${status} ${text}`)
      continue
    }
    const restored = await send(mock, 'POST', `${path}/restore`)
    if (restored.status === 200) counts.restored++
    else if (restored.status === 409) counts.conflicts++
    else t.fail(`${what}: the restore answers ${restored.status}`)
    const failures = await findFailures(mock)
    if (isFull || counts.restored % 5 === 1) {
      await mock.app.close()
      mock = await reopen()
      failures.push(...(await findFailures(mock)).map((failure) => `after a restart: ${failure}`))
    }
    const reset = await send(mock, 'POST', '/__admin/reset')
    if (reset.status !== 200) failures.push(`reset ${reset.status}`)
    const { body } = await send(mock, 'GET', '/__admin/invariants')
    if (body.hold !== true) failures.push('invariants after a reset')
    if (failures.length > 0) t.fail(`${what}: ${failures.join('; ')}`)
  }
  t.comment(counts)
  t.ok(counts.refused > counts.restored, 'most are refused')
})
