import t from 'tap'
import { build, id, receiver } from '../support/helper.ts'
import { initiations, requests } from '../support/examples.ts'

/** Names of metadata, which can be any text. */

const names = [' ', 'a\nb', 'a\r\nb', '\u2028', '\u2029', '__proto__', 'toString', '😀', '"\\']

const payments = initiations.filter(({ kind }) => ['deposit', 'payout'].includes(kind.name))

for (const { version, kind, make, path } of payments) {
  t.test(`${version} ${kind.name}: names of metadata`, async (t) => {
    const merchant = await receiver(t)
    const mock = await build(t, {
      clock: 'frozen',
      accounts: [{ name: 'default', callbacks: { [kind.callback]: merchant.url } }]
    })
    for (const name of names) {
      const pair = version === 'v2' ? { [name]: 'x' } : { fieldName: name, fieldValue: 'x' }
      const request: Record<string, any> = { ...make(), metadata: [pair] }
      const own = `${path}/${request[kind.idField]}`
      await mock.call('POST', path, request)
      await mock.call('POST', '/__admin/clock/advance', { by: '1m' })
      const { body } = await mock.call('GET', own)
      const record = Array.isArray(body) ? body[0] : body.data
      // Some of the names end a line of the report.
      const what = encodeURIComponent(name)
      const metadata = JSON.stringify({ [name]: 'x' })
      t.equal(JSON.stringify(record.metadata), metadata, `status check with ${what}`)
      const callback = merchant.received.pop()?.body as { metadata: object }
      t.equal(JSON.stringify(callback.metadata), metadata, `callback with ${what}`)
    }
  })
}

t.test('several names in an entry, and a name in two entries: all kinds of v2', async (t) => {
  const { call } = await build(t, { clock: 'frozen' })
  const deposit = requests.v2.deposit!()
  await call('POST', '/v2/deposits', deposit)
  await call('POST', '/__admin/clock/advance', { by: '1m' })
  const { depositId } = deposit
  const rows: Array<[path: string, idField: string, body: object]> = [
    ['deposits', 'depositId', requests.v2.deposit!()],
    ['payouts', 'payoutId', requests.v2.payout!()],
    ['remittances', 'remittanceId', requests.v2.remittance!()],
    ['refunds', 'refundId', { ...requests.v2.refund!(), depositId }],
    ['split-payments', 'splitPaymentId', requests.v2.splitPayment!()],
    ['checkouts', 'checkoutId', { returnUrl: 'https://shop.example/back' }]
  ]
  for (const [path, idField, body] of rows) {
    const own = id()
    const initiate = (metadata: object[]) =>
      call('POST', `/v2/${path}`, { ...body, [idField]: own, metadata })
    for (const [name, metadata] of [
      ['a', [{ a: '1' }, { a: '2' }]],
      [
        'fieldValue',
        [
          { fieldName: 'a', fieldValue: '1' },
          { fieldName: 'b', fieldValue: '2' }
        ]
      ]
    ] as const) {
      const { status, body: answer } = await initiate([...metadata])
      t.equal(status, 400, path)
      t.match(answer.failureReason, {
        failureCode: 'DUPLICATE_METADATA_FIELD',
        failureMessage: new RegExp(`'${name}'`)
      })
    }
    const entries = [
      { a: '1', b: '2', isPII: true },
      { fieldName: 'c', fieldValue: '3' }
    ]
    t.match(await initiate(entries), { status: 200, body: { status: 'ACCEPTED' } }, path)
    const { data } = (await call('GET', `/v2/${path}/${own}`)).body
    t.strictSame(data.metadata, { b: '2', fieldValue: '3' }, path)
    const { requests: sent } = (await call('GET', `/__admin/requests?payment=${own}`)).body
    const { notes } = sent.find(({ notes }: { notes?: string[] }) => notes !== undefined)
    t.match(notes, [/^metadata\.0 has 2 names/, /^metadata\.1 .* write \{"c":"3"\}$/], path)
  }
})
