import { request } from 'node:http'
import { once } from 'node:events'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { build, type Mock } from '../support/helper.ts'

/** HEAD answers like GET, without a body. */

async function ask ({ url, config }: Mock, method: string, path: string) {
  const headers = { authorization: `Bearer ${config.token}` }
  const sent = request(url + path, { method, headers })
  sent.end()
  const [response] = await once(sent, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  const { date: _, connection: __, 'keep-alive': ___, ...rest } = response.headers
  return { status: response.statusCode, headers: rest, text }
}

t.test('HEAD has the status and the headers of GET', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const { depositId } = (await mock.call('POST', '/v2/deposits', requests.v2.deposit!())).body
  for (const path of [
    '/health',
    '/__admin/health',
    '/ready',
    '/__admin/ready',
    `/v2/deposits/${depositId}`,
    `/deposits/${depositId}`,
    '/v2/active-conf',
    '/v2/wallet-balances',
    '/__admin/accounts',
    '/__admin/docs',
    '/v2/nothing',
    '/nothing',
    '/__admin/nothing'
  ]) {
    const get = await ask(mock, 'GET', path)
    const head = await ask(mock, 'HEAD', path)
    t.equal(head.text, '', path)
    t.equal(head.status, get.status, path)
    if (get.status === 200) t.strictSame(head.headers, get.headers, path)
  }
})

t.test('the journal shows HEAD, and the reference does not', async (t) => {
  const mock = await build(t)
  await ask(mock, 'HEAD', '/v2/availability')
  const { body } = await mock.call('GET', '/__admin/requests')
  t.match(body.requests, [{ request: { method: 'HEAD' }, response: { status: 200 } }])
  const { body: document } = await mock.call('GET', '/__admin/openapi.json')
  t.notOk(Object.values<object>(document.paths).some((item) => 'head' in item))
})

t.test('HEAD of a stream of events ends', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const path = await phoneEvents(mock)
  t.match(await ask(mock, 'HEAD', path), { status: 200, text: '' })
})

/** Address of the events of a phone. */
async function phoneEvents ({ call }: Mock): Promise<string> {
  const deposit = requests.v2.deposit!()
  await call('POST', '/v2/deposits', deposit)
  return '/__admin/phone/260763456789/events'
}
