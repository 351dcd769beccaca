import t, { type Test } from 'tap'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { MomockClient } from '../../src/index.ts'
import { tools } from '../../src/mcp/tools.ts'
import { receiver } from '../support/helper.ts'
import { createMomock } from '../support/momock.ts'
import { root } from '../docs/markdown.ts'

/** Tools for assistants, with the client of the official SDK, over both transports. */

/** Mock that an assistant uses, and whether it may change it. */
interface Connection {
  mock: MomockClient
  adminToken?: string
  allowChanges?: boolean
}

const transports = {
  'standard input and output': ({ mock, adminToken, allowChanges = false }: Connection) =>
    new StdioClientTransport({
      command: process.execPath,
      args: [
        'src/main.js',
        'mcp',
        ...['--url', mock.url, '--token', mock.token],
        ...(allowChanges ? ['--allow-changes'] : [])
      ],
      cwd: root,
      env: { ...(adminToken !== undefined && { MOMOCK_ADMIN_TOKEN: adminToken }) }
    }),
  HTTP: ({ mock, adminToken, allowChanges = false }: Connection) =>
    new StreamableHTTPClientTransport(
      new URL(`${mock.url}/__admin/mcp${allowChanges ? '?allowChanges=true' : ''}`),
      {
        requestInit: {
          headers: {
            authorization: `Bearer ${mock.token}`,
            ...(adminToken !== undefined && { 'x-momock-admin-token': adminToken })
          }
        }
      }
    )
}

/** Result of a tool: its text as JSON, or the text of an error. */
interface Result {
  isError: boolean
  text: string
  json: any
}

/** Connects an assistant. Returns its tools, and a function that calls one. */
async function connect (t: Test, name: keyof typeof transports, connection: Connection) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transports[name](connection))
  t.teardown(() => client.close())
  return {
    client,
    names: (await client.listTools()).tools.map(({ name }) => name),
    use: async (name: string, args: object = {}): Promise<Result> => {
      const result = await client.callTool({ name, arguments: { ...args } })
      const [{ text }] = result.content as Array<{ text: string }>
      const isError = result.isError === true
      return { isError, text, json: isError ? undefined : JSON.parse(text) }
    }
  }
}

for (const name of Object.keys(transports) as Array<keyof typeof transports>) {
  t.test(`an assistant finds out over ${name} why a payment failed`, async (t) => {
    const { url } = await receiver(t)
    const mock = await createMomock({ clock: 'frozen', callbackUrl: url, adminToken: 'secret' })
    t.teardown(() => mock.close())
    const { use } = await connect(t, name, { mock, adminToken: 'secret', allowChanges: true })

    await use('fail_next_payment', { fail: 'INSUFFICIENT_BALANCE', when: { kind: 'deposit' } })
    const { json: sent } = await use('send_payment', { kind: 'deposit', amount: '15' })
    t.match(sent, { status: 200, body: { status: 'ACCEPTED' } })
    t.match((await use('advance_clock', { by: '1m' })).json, { transitions: 2, callbacks: 1 })

    t.match((await use('list_payments', { limit: 5 })).json, {
      payments: [{ id: sent.id, status: 'FAILED' }]
    })
    t.match((await use('get_payment', { kind: 'deposit', id: sent.id })).json, {
      why: 'it was added for the account and matches',
      history: [{}, {}, { failureReason: { failureCode: 'INSUFFICIENT_BALANCE' } }]
    })
    t.match((await use('list_callbacks')).json, {
      callbacks: [{ state: 'ACKNOWLEDGED', signature: { valid: true } }]
    })
    t.match((await use('list_requests')).json, { requests: [{ payments: [{ id: sent.id }] }] })
    const expectations = [{ payment: { kind: 'deposit', status: 'COMPLETED' }, count: 1 }]
    t.match((await use('verify', { expectations })).json, {
      passed: false,
      failed: [{ nearest: { payment: sent.id } }]
    })
    t.match((await use('lint')).json, { passed: true, checked: 1 })
    t.match((await use('set_clock', { mode: 'running' })).json, { mode: 'running' })
    await use('reset')
    t.same((await use('list_payments')).json, { payments: [] })
  })

  t.test(`an assistant only reads over ${name} unless it may change the mock`, async (t) => {
    const mock = await createMomock()
    t.teardown(() => mock.close())
    const { names, use } = await connect(t, name, { mock })
    t.same(
      names,
      tools.filter(({ changes }) => changes !== true).map(({ name }) => name)
    )
    for (const tool of tools.filter(({ changes }) => changes === true)) {
      const { isError, text } = await use(tool.name)
      t.ok(isError, tool.name)
      t.match(text, `${tool.name} changes the mock, and this connection only reads`)
    }
    t.same(await mock.payments(), [])
    const all = await connect(t, name, { mock, allowChanges: true })
    t.same(
      all.names,
      tools.map(({ name }) => name)
    )
  })

  t.test(`wrong arguments get the messages of the admin API over ${name}`, async (t) => {
    const mock = await createMomock()
    t.teardown(() => mock.close())
    const { use } = await connect(t, name, { mock, allowChanges: true })
    const id = '0b5cbd82-5299-43ea-a0a4-e2f686bce85c'
    const rows: Array<[tool: string, args: object, method: string, path: string, body?: object]> = [
      ['list_payments', { statuss: 'FAILED' }, 'GET', '/payments?statuss=FAILED'],
      ['list_payments', { limit: 0 }, 'GET', '/payments?limit=0'],
      ['get_payment', { kind: 'deposit', id }, 'GET', `/payments/deposit/${id}`],
      ['get_payment', { kind: 'deposits', id: 'x' }, 'GET', '/payments/deposits/x'],
      ['advance_clock', {}, 'POST', '/clock/advance', {}],
      ['advance_clock', { by: 'soon' }, 'POST', '/clock/advance', { by: 'soon' }],
      ['fail_next_payment', { fail: 'NO_MONEY' }, 'POST', '/scenarios', { fail: 'NO_MONEY' }],
      ['send_payment', { kind: 'gift' }, 'POST', '/send', { kind: 'gift' }],
      ['verify', { expectations: [{}] }, 'POST', '/verify', { expectations: [{}] }]
    ]
    for (const [tool, args, method, path, body] of rows) {
      const { isError, text } = await use(tool, args)
      const error = await mock.call(method, path, body).catch(({ hint, message }) => {
        return { hint, words: message.slice(message.indexOf(': ') + 2) }
      })
      const { hint, words } = error as { hint: string; words: string }
      t.ok(isError, tool)
      t.ok(text.includes(words), `${text} has ${words}`)
      t.ok(text.includes(hint), hint)
    }
    t.match(await use('get_payment', { kind: 'deposit' }), {
      isError: true,
      text: /^id is missing/
    })
    t.match(await use('pay'), { isError: true, text: /^there is no tool 'pay'/ })
  })
}

t.test('an assistant over HTTP is checked like every admin call', async (t) => {
  const mock = await createMomock({ adminToken: 'secret' })
  t.teardown(() => mock.close())
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const post = async (headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${mock.url}/__admin/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'x-momock-admin-token': 'secret',
        ...headers
      },
      body
    })
    await response.text()
    return response.status
  }
  t.equal(await post({}), 200)
  t.equal(await post({ 'x-momock-admin-token': 'guess' }), 401)
  t.equal(await post({ authorization: 'Bearer nobody' }), 401)
  t.equal(await post({ origin: 'https://evil.example' }), 403)
  t.equal(await post({ 'sec-fetch-site': 'cross-site' }), 403)
})

t.test('an assistant hears that the mock does not run yet', async (t) => {
  const mock = await createMomock()
  await mock.close()
  const { use } = await connect(t, 'standard input and output', { mock })
  t.match(await use('list_payments'), { isError: true, text: /there is no answer from .*start/ })
})
