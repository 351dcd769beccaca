import SQLite from 'better-sqlite3'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { long } from '../support/full.ts'
import { folder, until } from '../support/helper.ts'
import { limitEachTest } from '../support/limits.ts'
import { connect, deposit, refused, serve, type Running } from '../support/process.ts'
import { waitFor } from '../support/waits.ts'

limitEachTest()

/** It must be gone this soon after the first signal. */
const limitMs = 5000
/** Longest time of a shutdown without open work. */
const promptMs = 2000

/** Work that is open when the signal comes. */
const situations = {
  'clients that keep their connection open, before and after a request': async (
    t: Test,
    { ready }: Running
  ) => {
    const [, talker] = await Promise.all([connect(t, ready.url), connect(t, ready.url)])
    talker.write('GET /health HTTP/1.1\r\nhost: momock\r\n\r\n')
    await readUntil(talker, /^HTTP/)
  },
  'a client that sends half a body and hangs': async (t: Test, server: Running) => {
    await sendHalf(t, server)
  },
  'a receiver that takes a callback and hangs': async (
    _t: Test,
    { call }: Running,
    arrived: Promise<unknown>
  ) => {
    await call('POST', '/v2/deposits', deposit())
    await waitFor('a callback', arrived)
  }
}

type Situation = keyof typeof situations

const rows: Array<[what: string, signal: NodeJS.Signals, within: number, situations: Situation[]]> =
  [
    ['nothing', 'SIGTERM', promptMs, []],
    ...(Object.keys(situations) as Situation[]).map((name): (typeof rows)[number] => [
      name,
      'SIGTERM',
      name.endsWith('hangs') ? limitMs : promptMs,
      [name]
    ]),
    ['all of these at once', 'SIGINT', limitMs, Object.keys(situations) as Situation[]]
  ]

for (const [what, signal, within, names] of rows) {
  const isLong = names.length === 1
  t.test(`${signal} stops the server in time, with ${what}`, isLong ? long : {}, async (t) => {
    const { url, arrived } = await hangingReceiver(t)
    const server = await serve(t, ['--callback-url', url])
    for (const name of names) await situations[name](t, server, arrived)
    const since = Date.now()
    t.match(await server.stop(signal), { code: 0, stderr: '' })
    const took = Date.now() - since
    t.ok(took < within, `${took} ms`)
  })
}

t.test('a stopping server refuses new requests and finishes open ones', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const server = await serve(t, ['--db', db])
  const { socket, rest, depositId } = await sendHalf(t, server)
  server.process.kill('SIGTERM')
  await refused(server)
  socket.write(rest)
  await readUntil(
    socket,
    new RegExp(`^HTTP/1.1 200 OK.*"depositId":"${depositId}","status":"ACCEPTED"`, 's')
  )
  const since = Date.now()
  t.match(await server.end(), { code: 0, stderr: '' })
  t.ok(
    Date.now() - since < promptMs,
    'and then it does not wait for the connection, which would have stayed open'
  )
  const { call } = await serve(t, ['--db', db])
  t.match(
    await call('GET', `/v2/deposits/${depositId}`),
    { body: { status: /^FOUND$/ } },
    'what was answered was stored'
  )
})

t.test('a server stops with the shell of npm and finishes open requests', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const server = await serve(t, ['--db', db], {
    env: { npm_lifecycle_event: 'start' },
    inShell: true
  })
  const { socket, rest, depositId } = await sendHalf(t, server)
  server.process.kill('SIGKILL')
  await refused(server)
  // It looks for its parent twice a second. To miss it once is the first signal; a second one would
  // end it at once.
  await sleep(1200)
  socket.write(rest)
  await readUntil(
    socket,
    new RegExp(`^HTTP/1.1 200 OK.*"depositId":"${depositId}","status":"ACCEPTED"`, 's')
  )
  await server.end()
  t.notOk(existsSync(`${db}-wal`), 'the ledger is closed')
})

t.test('a stopping server waits for a callback in delivery', async (t) => {
  const db = join(folder(t), 'ledger.db')
  const { url, arrived, answer } = await hangingReceiver(t)
  const server = await serve(t, ['--db', db, '--callback-url', url])
  await server.call('POST', '/v2/deposits', deposit())
  await waitFor('a callback', arrived)
  server.process.kill('SIGTERM')
  await refused(server)
  answer()
  t.match(await server.end(), { code: 0 })
  const connection = new SQLite(db, { readonly: true })
  t.teardown(() => {
    connection.close()
  })
  t.same(connection.prepare('SELECT state, attempts FROM callbacks').all(), [
    { state: 'ACKNOWLEDGED', attempts: 1 }
  ])
})

t.test('a second signal stops the server at once', async (t) => {
  const server = await serve(t)
  await sendHalf(t, server)
  server.process.kill('SIGINT')
  await refused(server)
  const since = Date.now()
  t.match(await server.stop('SIGTERM'), { code: 1, signal: null })
  t.ok(Date.now() - since < promptMs, 'at once')
})

t.test('a server with a stop delay answers until the delay is over', async (t) => {
  const [patient, quick] = await Promise.all([
    serve(t, ['--stop-delay', '10m']),
    serve(t, ['--stop-delay', '1ms'])
  ])
  t.match(await patient.call('GET', '/ready'), { status: 200, body: { status: 'ready' } })
  patient.process.kill('SIGTERM')
  const { body } = await until(
    () => patient.call('GET', '/ready'),
    ({ status }) => status === 503
  )
  t.same(body, { status: 'not ready', reason: 'the server stops' })
  t.match(await patient.call('GET', '/health'), { status: 200 })
  const socket = await connect(t, patient.ready.url)
  socket.write('GET /health HTTP/1.1\r\nhost: momock\r\n\r\n')
  const [answer] = await once(socket, 'data')
  t.match(String(answer), /^HTTP\/1.1 200 [^]*\r\nconnection: close\r\n/i, 'clients connect again')
  t.match(await patient.call('POST', '/v2/deposits', deposit()), { body: { status: 'ACCEPTED' } })
  t.match(await patient.stop('SIGTERM'), { code: 1 }, 'a second signal stops it at once')
  t.match(await quick.stop('SIGTERM'), { code: 0, stderr: '' })
})

/** Begins a deposit, and says what is missing. */
async function sendHalf (
  t: Test,
  { ready, call }: Running
): Promise<{ socket: Socket; rest: string; depositId: string }> {
  const one = deposit()
  const body = JSON.stringify(one)
  const socket = await connect(t, ready.url)
  socket.write(
    'POST /v2/deposits HTTP/1.1\r\nhost: momock\r\nauthorization: Bearer ' +
      `${ready.token}\r\ncontent-type: application/json\r\ncontent-length: ` +
      `${body.length}\r\n\r\n${body.slice(0, 40)}`
  )
  // Answered after what was sent before it was read.
  await call('GET', '/health')
  return { socket, rest: body.slice(40), depositId: one.depositId }
}

/** Reads from a connection until the text matches. */
async function readUntil (socket: Socket, pattern: RegExp): Promise<void> {
  let text = ''
  const found = new Promise<void>((resolve, reject) => {
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
      if (pattern.test(text)) resolve()
    })
    socket.on('close', () => reject(new Error(`closed without ${pattern}: ${text}`)))
  })
  await waitFor(`${pattern}`, found, () => `read: ${text}`)
}

/** A receiver that takes a callback and keeps it until it is told to answer. */
async function hangingReceiver (
  t: Test
): Promise<{ url: string; arrived: Promise<unknown>; answer: () => void }> {
  const asked = Promise.withResolvers<void>()
  const told = Promise.withResolvers<void>()
  const server = createServer(async (_request, response) => {
    asked.resolve()
    await told.promise
    response.end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    arrived: asked.promise,
    answer: () => told.resolve()
  }
}
