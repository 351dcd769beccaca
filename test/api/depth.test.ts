import t from 'tap'
import { hasTooManyFields, isTooDeep, maxDepth, maxFields } from '../../src/lib/json-limits.ts'
import { requests } from '../support/examples.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** JSON that is nested too deeply is refused before anything is kept of it. */

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)

t.test('the depth of a text', async (t) => {
  const rows: Array<[text: string, isDeep: boolean]> = [
    ['', false],
    [lists(maxDepth), false],
    [lists(maxDepth + 1), true],
    [objects(maxDepth), false],
    [objects(maxDepth + 1), true],
    ['['.repeat(maxDepth + 1), true],
    [JSON.stringify(Array(1000).fill({ a: [1] })), false],
    [JSON.stringify({ text: '['.repeat(1000) }), false],
    [JSON.stringify({ text: '\\"' + '['.repeat(1000) }), false],
    [JSON.stringify(['\\', JSON.parse(lists(maxDepth))]), true],
    ['"' + '['.repeat(1000), false],
    [']'.repeat(1000) + '['.repeat(1000), false]
  ]
  for (const [text, isDeep] of rows) t.equal(isTooDeep(text), isDeep, text.slice(0, 30))
})

const paths = [
  '/v2/deposits',
  '/deposits',
  '/v2/payouts/bulk',
  '/v2/statements',
  '/__admin/accounts',
  '/__admin/scenarios',
  '/__admin/requests/count',
  '/__admin/verify',
  '/__admin/sink/shop'
]

for (const deep of [lists(maxDepth + 1), lists(4600), objects(4600)]) {
  t.test(`a body of ${deep.length} bytes is refused`, async (t) => {
    const { call } = await openSandbox(t)
    for (const path of paths) {
      const { status, body } = await call('POST', path, deep)
      t.equal(status, 400, path)
      t.match(JSON.stringify(body), /nested too deeply: more than 64/, path)
    }
    const { status, body } = await call('GET', '/__admin/requests')
    t.equal(status, 200, 'the journal can be read')
    t.ok(body.requests.length > 0)
    for (const { request } of body.requests) t.type(request.body, 'string', 'as a text')
    t.match((await call('GET', '/__admin/sink/shop')).body, { received: 0 })
  })
}

t.test('a request without a token leaves a journal that can be read', async (t) => {
  const { call } = await openSandbox(t)
  await call('POST', '/v2/deposits', lists(4600), { authorization: '' })
  t.match(await call('GET', '/__admin/requests'), { status: 200 })
})

t.test('JSON that is sent as a form is explained', async (t) => {
  const { call, url } = await openSandbox(t)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const { status, body } = await call('POST', '/v2/deposits', requests.v2.deposit!(), form)
  t.equal(status, 400)
  t.match(body.failureReason.failureMessage, /the body is JSON: send it with 'Content-Type: appl/)
  const page = await fetch(`${url}/pay/none`, { method: 'POST', headers: form, body: '{}' })
  t.match(await page.text(), /the body is JSON/)
})

const wide = (fields: number): string =>
  `{${Array.from({ length: fields }, (_, n) => `"field${n}":":"`).join(',')}}`

t.test('the number of fields of a text', async (t) => {
  const rows: Array<[text: string, isWide: boolean]> = [
    ['', false],
    [wide(maxFields), false],
    [wide(maxFields + 1), true],
    [`[${wide(maxFields / 2)},${wide(maxFields / 2 + 1)}]`, true],
    [JSON.stringify({ text: ':"'.repeat(100_000) }), false]
  ]
  for (const [text, isWide] of rows) t.equal(hasTooManyFields(text), isWide, text.slice(0, 30))
})

t.test('a body with too many fields is refused', async (t) => {
  const { call } = await openSandbox(t)
  for (const path of paths) {
    const { status, body } = await call('POST', path, wide(maxFields + 1))
    t.equal(status, 400, path)
    t.match(JSON.stringify(body), /the body must have at most 5000 fields/, path)
  }
})

t.test('a page of requests or of a sink has a limited size', async (t) => {
  const { call } = await openSandbox(t)
  const large = JSON.stringify({ text: 'x'.repeat(60_000) })
  for (let n = 1; n <= 40; n++) {
    await call('POST', '/__admin/sink/shop', large)
    await call('POST', '/v2/deposits', large)
  }
  const { body } = await call('GET', '/__admin/sink/shop')
  t.equal(body.received, 40)
  t.equal(body.callbacks.length, 17, '1 MiB')
  t.equal(body.callbacks.at(-1).n, 40, 'the last ones')
  const pages: number[] = []
  for (let before = ''; pages.length === 0 || pages.at(-1)! > 0;) {
    const { body: page } = await call('GET', `/__admin/requests?limit=1000${before}`)
    pages.push(page.requests.length)
    before = `&before=${page.requests.at(-1)?.id}`
    if (pages.length === 1) t.equal(page.meta.total, 40)
  }
  t.ok(pages.length > 3, `requests on the pages: ${pages}`)
  t.equal(
    pages.reduce((sum, length) => sum + length, 0),
    40,
    'all pages together have all requests'
  )
})

t.test('a large body in a sink is shown in part', async (t) => {
  const { call } = await openSandbox(t)
  await call('POST', '/__admin/sink/shop', JSON.stringify('x'.repeat(100_000)))
  const [shown] = (await call('GET', '/__admin/sink/shop')).body.callbacks
  t.match(shown, { bodyTruncated: true, body: /^"x+…$/ })
})
