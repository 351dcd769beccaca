import t from 'tap'
import { build, receiver } from '../support/helper.ts'
import { initiations } from '../support/examples.ts'

/** Names of metadata, which can be any text. */

const names = [' ', 'a\nb', 'a\r\nb', '\u2028', '\u2029', '__proto__', 'toString', '😀', '"\\']

const payments = initiations.filter(({ kind }) => ['deposit', 'payout'].includes(kind.name))

for (const { generation, kind, make, path } of payments) {
  t.test(`${generation} ${kind.name}: names of metadata`, async (t) => {
    const merchant = await receiver(t)
    const mock = await build(t, {
      clock: 'frozen',
      accounts: [{ name: 'default', callbacks: { [kind.callback]: merchant.url } }]
    })
    for (const name of names) {
      const pair = generation === 'v2' ? { [name]: 'x' } : { fieldName: name, fieldValue: 'x' }
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
