import t from 'tap'
import { kinds, type KindName } from '../../src/domain/kinds.ts'
import { requests } from '../support/examples.ts'
import { build, id, testMachine, type Call, type Mock } from '../support/helper.ts'
import { oneServerOptions } from '../support/servers.ts'

/** The status of a payment in every place that shows it. */

/** Kinds that can be moved by hand. */
const moved: KindName[] = ['deposit', 'payout', 'refund', 'remittance', 'checkout']

/** Statuses by `kind id`. */
type Statuses = Record<string, string>

async function post (call: Call, path: string, body: object): Promise<void> {
  const answer = await call('POST', path, body)
  if (answer.status >= 300 || answer.body.status === 'REJECTED') {
    throw new Error(`${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
  }
}

/** Initiates a payment whose plan is still long, and returns its identifier. */
async function initiate ({ call }: Mock, kind: KindName): Promise<string> {
  const { path, idField } = kinds[kind]
  const body =
    kind === 'checkout'
      ? { checkoutId: id(), returnUrl: 'https://shop.example/back' }
      : requests.v2[kind]!()
  if (kind === 'refund') {
    const source = requests.v2.deposit!()
    await call('POST', '/v2/deposits', source, { 'x-momock-scenario': 'at-once' })
    await call('POST', '/__admin/clock/advance', { by: '1ms' })
    body.depositId = source.depositId
  }
  await post(call, `/v2/${path}`, body)
  return body[idField]
}

/** Makes a payment for each way by legal moves by hand, from a time after its initiation on. */
async function walkAll (mock: Mock, kind: KindName, after: string): Promise<void> {
  const ways: string[][] = [[]]
  for (const way of ways) {
    const path = `/__admin/payments/${kind}/${await initiate(mock, kind)}`
    await mock.call('POST', '/__admin/clock/advance', { by: after })
    for (const to of way) await post(mock.call, `${path}/move`, { to })
    const { legalMoves } = (await mock.call('GET', path)).body
    for (const next of legalMoves) {
      if (!way.includes(next)) ways.push([...way, next])
    }
  }
}

/** Reads all statuses from the lines of a new statement. */
async function readStatement (mock: Mock): Promise<Statuses> {
  const request = {
    wallet: { country: 'ZMB', currency: 'ZMW' },
    callbackUrl: 'http://127.0.0.1:1/statements',
    startDate: '2026-01-30T00:00:00Z',
    endDate: '2026-02-02T00:00:00Z'
  }
  const { statementId } = (await mock.call('POST', '/v2/statements', request)).body
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  const { data } = (await mock.call('GET', `/v2/statements/${statementId}`)).body
  const { body } = await mock.app.http.inject(new URL(data.downloadUrl).pathname)
  const lines = body.split('\r\n').slice(1)
  return Object.fromEntries(
    lines.flatMap((line) => {
      const fields = line.split(',')
      const [, , kind, id] = fields
      return id ? [[`${kind.toLowerCase()} ${id}`, fields[fields.length - 1]]] : []
    })
  )
}

/** Counts statuses as `kind STATUS`. */
function countAll (statuses: Statuses): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const [key, status] of Object.entries(statuses)) {
    const name = `${key.split(' ')[0]} ${status}`
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

t.test('all places show the same status after moves by hand', oneServerOptions, async (t) => {
  const mock = await build(t, { clock: 'frozen' }, testMachine())
  const { call } = mock
  const slow = [
    { after: '1s', to: 'PROCESSING' },
    { after: '12h', to: 'COMPLETED' }
  ]
  const atOnce = [
    { after: 0, to: 'PROCESSING' },
    { after: 0, to: 'COMPLETED' }
  ]
  for (const [name, script] of Object.entries({ 'at-once': atOnce, slow })) {
    await post(call, '/__admin/scenarios', { name, script })
  }
  for (const kind of moved) {
    for (const after of ['0s', '2s']) await walkAll(mock, kind, after)
  }
  const inStatement = await readStatement(mock)

  const { payments } = (await call('GET', '/__admin/payments?limit=1000')).body
  const listed: Statuses = {}
  for (const { kind, id, status } of payments) listed[`${kind} ${id}`] = status
  const [records, shown]: [Statuses, Statuses] = [{}, {}]
  for (const { kind, id } of payments as Array<{ kind: KindName; id: string }>) {
    const { body } = await call('GET', `/v2/${kinds[kind].path}/${id}`)
    records[`${kind} ${id}`] = (body.data ?? body).status
    shown[`${kind} ${id}`] = (await call('GET', `/__admin/payments/${kind}/${id}`)).body.status
  }
  const { counts } = (await call('GET', '/__admin/payments/counts')).body
  const counted = counts.map(({ kind, status, count }: any) => [`${kind} ${status}`, count])
  const text: string = (await call('GET', '/__admin/metrics')).body
  const measured = [...text.matchAll(/^momock_payments\{kind="(\w+)",status="(\w+)"\} (\d+)$/gm)]

  t.ok(new Set(Object.values(records)).size > 5, 'many statuses')
  t.strictSame(shown, records, 'the view of one payment')
  t.strictSame(listed, records, 'the list')
  t.strictSame(Object.fromEntries(counted), countAll(records), 'the counts')
  t.strictSame(
    Object.fromEntries(measured.map(([, kind, status, count]) => [`${kind} ${status}`, +count])),
    countAll(records),
    'the metrics'
  )
  const ofEntries = Object.keys(inStatement).map((key) => [key, records[key]])
  t.ok(ofEntries.length > 20, 'many lines')
  t.strictSame(inStatement, Object.fromEntries(ofEntries), 'the statement')
})
