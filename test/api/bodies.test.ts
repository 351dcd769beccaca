import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import t from 'tap'
import { requests } from '../support/examples.ts'
import { build, until } from '../support/helper.ts'

/**
 * Bodies that arrive in different pieces are the same body. The test uses real connections, because
 * injected requests arrive whole.
 */

const { call, app, config, url: base } = await build(t)
const url = new URL(base)

interface Heard {
  status: number
  body: any
}

/** A piece is sent when the server has read those before it. */
type Pieces = Array<string | Buffer>

/**
 * Sends pieces one after the other, closes its own side of the connection if that is all, and waits
 * for so many answers.
 */
async function send (pieces: Pieces, answers = 1, isAll = false): Promise<Heard[]> {
  const socket = createConnection({
    port: Number(url.port),
    host: url.hostname,
    allowHalfOpen: true
  }).setNoDelay()
  await once(socket, 'connect')
  const heard = hear(socket, answers)
  for (const piece of pieces) {
    socket.write(piece)
    // Answered on another connection, after the earlier bytes were read.
    if (pieces.length > 1) await fetch(`${url.origin}/health`)
  }
  if (isAll) socket.end()
  const all = await heard
  socket.destroy()
  return all
}

async function hear (socket: Socket, answers: number): Promise<Heard[]> {
  let text = ''
  const heard: Heard[] = []
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    for (let match; (match = /^HTTP\/1\.1 (\d+)[^]*?\r\n\r\n/.exec(text)) !== null;) {
      const [head, status] = match
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      if (Buffer.byteLength(text) < head.length + length) break
      const body = text.slice(head.length, head.length + length)
      text = text.slice(head.length + length)
      if (status !== '100') {
        heard.push({ status: Number(status), body: body === '' ? undefined : JSON.parse(body) })
      }
      if (heard.length === answers) return heard
    }
  }
  return heard
}

function head (path: string, ...more: string[]): string {
  return [
    `POST ${path} HTTP/1.1`,
    'host: momock',
    `authorization: Bearer ${config.token}`,
    'content-type: application/json',
    ...more,
    '',
    ''
  ].join('\r\n')
}

const sized = (body: Buffer): string => `content-length: ${body.length}`
const chunked = 'transfer-encoding: chunked'
const chunk = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])

/** In the middle of a character of several bytes. */
const cut = (body: Buffer): number => body.indexOf(0xc3) + 1

const ways: Record<string, (path: string, body: Buffer) => Pieces> = {
  'with its headers': (path, body) => [Buffer.concat([Buffer.from(head(path, sized(body))), body])],
  'after its headers': (path, body) => [head(path, sized(body)), body],
  'half with its headers': (path, body) => [
    Buffer.concat([Buffer.from(head(path, sized(body))), body.subarray(0, cut(body))]),
    body.subarray(cut(body))
  ],
  'in many pieces': (path, body) => [
    head(path, sized(body)),
    ...Array.from({ length: Math.ceil(body.length / 40) }, (_, n) =>
      body.subarray(n * 40, (n + 1) * 40)
    )
  ],
  'as one chunk': (path, body) => [
    Buffer.concat([Buffer.from(head(path, chunked)), chunk(body), Buffer.from('0\r\n\r\n')])
  ],
  'as chunks in many pieces': (path, body) => [
    head(path, chunked),
    chunk(body.subarray(0, cut(body))),
    chunk(body.subarray(cut(body))),
    '0\r\n\r\n'
  ],
  'when it is asked for': (path, body) => [head(path, sized(body), 'expect: 100-continue'), body]
}

const versions = [
  { version: 'v2', path: '/v2/deposits' },
  { version: 'v1', path: '/deposits' }
] as const

for (const { version, path } of versions) {
  t.test(`a body of ${version} is read in any number of chunks`, async (t) => {
    for (const [way, pieces] of Object.entries(ways)) {
      const request = {
        ...requests[version].deposit!(),
        clientReferenceId: undefined,
        metadata: version === 'v2' ? [{ name: 'Zoë' }] : [{ fieldName: 'name', fieldValue: 'Zoë' }]
      } as Record<string, any>
      t.match(
        await send(pieces(path, Buffer.from(JSON.stringify(request)))),
        [{ status: 200, body: { status: 'ACCEPTED' } }],
        way
      )
      const { body } = await call('GET', `${path}/${request.depositId}`)
      t.strictSame((body.data ?? body[0]).metadata, { name: 'Zoë' }, `${way}: all of it`)
    }
  })

  t.test(`a missing body of ${version} is refused`, async (t) => {
    for (const [way, pieces] of Object.entries<Pieces>({
      'and no length': [head(path)],
      'and its length': [head(path, 'content-length: 0')],
      'in no chunks': [head(path, chunked), '0\r\n\r\n'],
      'and no type': [head(path).replace(/content-type.*\r\n/, '')]
    })) {
      const [{ status, body }] = await send(pieces)
      t.equal(status, 400, way)
      t.match(
        body.errorMessage ?? body.failureReason.failureMessage,
        /the body is empty; send JSON/,
        way
      )
    }
  })

  t.test(`a body of ${version} without a type is refused`, async (t) => {
    const body = Buffer.from(JSON.stringify(requests[version].deposit!()))
    const [{ status, body: answer }] = await send([
      head(path, sized(body)).replace(/content-type.*\r\n/, ''),
      body
    ])
    t.equal(status, 400)
    t.match(
      answer.errorMessage ?? answer.failureReason.failureMessage,
      "the Content-Type must be application/json, got none; the body is JSON: send it with 'Conte"
    )
  })

  t.test(`a body of ${version} over the limit is refused`, async (t) => {
    const body = Buffer.alloc(1024 * 1024 + 1, 'x')
    for (const way of [
      'with its headers',
      'after its headers',
      'as one chunk',
      'in two halves'
    ] as const) {
      const [{ status }] = await send(
        way === 'in two halves'
          ? [
              head(path, chunked),
              chunk(body.subarray(0, 600_000)),
              chunk(body.subarray(600_000)),
              '0\r\n\r\n'
            ]
          : ways[way]!(path, body)
      )
      t.equal(status, 413, way)
    }
    const [{ status }] = await send(ways['with its headers']!(path, body.subarray(1)))
    t.equal(status, 400, 'and a byte less is read')
  })

  t.test(`pipelined bodies of ${version} are answered in order`, async (t) => {
    const all = Array.from({ length: 3 }, () => requests[version].deposit!() as Record<string, any>)
    const together = Buffer.concat(
      all.flatMap((one) =>
        ways['with its headers']!(path, Buffer.from(JSON.stringify(one)))
      ) as Buffer[]
    )
    t.strictSame(
      (await send([together], 3)).map(({ body }) => body.depositId),
      all.map(({ depositId }) => depositId)
    )
  })

  t.test(`a half-closed connection of ${version} gets its answer`, async (t) => {
    const request = requests[version].deposit!() as Record<string, any>
    for (const way of ['with its headers', 'as one chunk'] as const) {
      const [{ status, body }] = await send(
        ways[way]!(path, Buffer.from(JSON.stringify(request))),
        1,
        true
      )
      t.match({ status, body }, { status: 200, body: { depositId: request.depositId } }, way)
    }
    for (const version of ['1.0', '1.1']) {
      const [{ status }] = await send(
        [
          `GET ${path}/${request.depositId} HTTP/${version}\r\nhost: ` +
            `momock\r\nauthorization: Bearer ${config.token}\r\n\r\n`
        ],
        1,
        true
      )
      t.equal(status, 200, version)
    }
  })

  t.test(`a body of ${version} that never ends is cut off`, async (t) => {
    const request = requests[version].deposit!() as Record<string, any>
    const body = Buffer.from(JSON.stringify(request))
    const open = (): Promise<number> =>
      new Promise((resolve, reject) =>
        app.http.server.getConnections((error, count) =>
          error === null ? resolve(count) : reject(error)
        )
      )
    const before = await open()
    const socket = createConnection(Number(url.port), url.hostname)
    socket.write(head(path, sized(body)))
    socket.write(body.subarray(0, 40))
    await fetch(`${url.origin}/health`)
    socket.destroy()
    await until(open, (count) => count <= before)
    const found = await call('GET', `${path}/${request.depositId}`)
    t.ok(found.body.status === 'NOT_FOUND' || found.body.length === 0, 'is no deposit')
  })
}

t.test('a body that is not JSON is refused', async (t) => {
  const empty = head('/__admin/sink/shop')
  t.match(await send([empty]), [{ status: 200 }], 'a sink takes nothing at all')
  t.match(
    await send([
      head('/__admin/sink/shop', 'content-length: 5').replace('application/json', 'text/plain'),
      'he',
      'llo'
    ]),
    [{ status: 200 }]
  )
  const { body } = await call('GET', '/__admin/sink/shop')
  t.strictSame(
    body.callbacks.map((one: { body?: unknown }) => one.body ?? ''),
    ['', 'hello']
  )
})
