import { gzipSync } from 'node:zlib'
import t from 'tap'
import { ledgerVersion } from '../../db/schema.ts'
import { version } from '../../src/lib/package.ts'
import { serve } from '../support/process.ts'

/** Compressed files that unpack to hundreds of megabytes, sent to a server with a small heap. */

const state = {
  clock: { mode: 'running', base: 0, since: 0, speed: 1 },
  now: 1,
  seed: 'momock',
  errors: {}
}
const kind = { momock: 'snapshot', version, ledger: ledgerVersion }
const header = gzipSync(`${JSON.stringify({ ...kind, taken: 1, state })}\n`)

/** Compresses a text many times: a file may have several compressed parts. */
function repeat (text: string, megabytes: number): Buffer {
  const part = gzipSync(text.repeat((4 * 2 ** 20) / text.length))
  return Buffer.concat(Array.from({ length: megabytes / 4 }, () => part))
}

const files: Array<[what: string, file: Buffer, says: RegExp]> = [
  ['line feeds', repeat('\n', 800), /line 1 is not JSON/],
  [
    'a header and line feeds',
    Buffer.concat([header, repeat('\n', 800)]),
    /line 2 is not JSON/
  ],
  ['one line', repeat('a', 800), /a line that is longer than any row/],
  [
    'a header and one line',
    Buffer.concat([header, repeat('[', 800)]),
    /a line that is longer than any row/
  ],
  [
    'a header and the file of a statement',
    Buffer.concat([header, gzipSync('["statements",{"file":"'), repeat('a', 800)]),
    /a line that is longer than any row/
  ],
  ['the lines of a log', repeat('GET /v2/deposits 200\n'.padEnd(32), 800), /line 1 is not JSON/],
  [
    'a row with an unknown table, and rows',
    Buffer.concat([header, repeat('["x",{}]', 4), repeat('["x",{}]\n'.padStart(16), 800)]),
    /line 2 is not JSON|longer than any row/
  ]
]

t.test('a server with a small heap survives files that unpack to very much', async (t) => {
  const env = { NODE_OPTIONS: '--max-old-space-size=128' }
  const { ready, call } = await serve(t, [], { env })
  for (const [what, file, says] of files) {
    const answer = await fetch(`${ready.url}/__admin/snapshots/large/file`, {
      method: 'PUT',
      body: new Uint8Array(file)
    })
    const text = await answer.text()
    t.equal(answer.status, 400, what)
    t.match(text, says, what)
    t.equal((await call('GET', '/health')).status, 200, `${what}: the server goes on`)
  }
  t.same((await call('GET', '/__admin/snapshots')).body, { snapshots: [] })
})
