import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { TObject, TSchema } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { formatEvent } from '../../src/cli/event-lines.ts'
import { kindNames } from '../../src/cli/load/mix.ts'
import { formatSummary } from '../../src/cli/load/table.ts'
import type { Report as LoadReport } from '../../src/cli/load/report.ts'
import { reportConformance } from '../../src/conform/report.ts'
import { MockEventSchema, type MockEvent } from '../../src/monitoring/mock-event.ts'
import { writeConsole } from '../../src/reports/console.ts'
import { reportExam } from '../../src/reports/exam/cases.ts'
import { verdicts as examVerdicts } from '../../src/reports/exam/verdict.ts'
import { usualBar } from '../../src/reports/exam/outcome.ts'
import type { Report } from '../../src/reports/report.ts'
import { ReportSchema, type Report as ExamReport } from '../../src/reports/exam/report.ts'
import { showLines, showText } from '../../src/lib/terminal-text.ts'
import { reportLint } from '../../src/lint/report.ts'
import { runCommand } from '../support/command-runner.ts'
import { folder, until } from '../support/helper.ts'
import { command, deposit } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

/** Texts of strangers on a terminal: none of them moves its cursor, colours it or forges a line. */

/** What a terminal obeys, and what reorders a line, by name. */
const hostile = {
  escape: '\u001b[31m',
  title: '\u001b]0;title\u0007',
  'control sequence of one character': '\u009b2J',
  'carriage return': '\r',
  'line feed': '\n12:00:00  deposit 4e742c59  COMPLETED',
  'next line': '\u0085',
  'line separator': '\u2028',
  delete: '\u007f',
  backspace: '\b',
  'right to left': '\u202e',
  isolate: '\u2066'
}
const all = Object.values(hostile).join('x')

/** What must not be in an output, besides the end of its own lines. */
const raw = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** The colours of our own output. */
// eslint-disable-next-line no-control-regex
const colour = /\u001b\[(?:[0-9]|22|3[0-9])m/g

/** Fills every text of a schema; `given` decides other values. */
function fill (schema: TSchema, given: string): unknown {
  if (schema.anyOf !== undefined) return fill(schema.anyOf[0], given)
  if (schema.const !== undefined) return schema.const
  if (schema.format === 'date-time') return '2026-01-31T12:00:00Z'
  if (schema.type === 'string') return given
  if (schema.type === 'array') return [fill(schema.items, given)]
  if (schema.type !== 'object') return 1
  const { properties } = schema as TObject
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, fill(field, given)])
  )
}

t.test('a text of a stranger is shown in one line, as escapes of JSON', async (t) => {
  for (const [name, text] of Object.entries(hostile)) {
    const shown = showText(text)
    t.notMatch(shown, raw, name)
    t.notMatch(shown, '\n', name)
    t.equal(JSON.parse(`"${shown}"`), text, `${name} can be read back`)
  }
  t.equal(showText('15.00 ZMW · Mutalé 🎉 «x»'), '15.00 ZMW · Mutalé 🎉 «x»')
  t.equal(showLines('one\n\ttwo\r\n'), 'one\n\\ttwo\\r\n')
})

t.test('no text of an event reaches the terminal raw', async (t) => {
  const schemas = MockEventSchema.anyOf as TObject[]
  const callback = fill(schemas[2], all) as MockEvent & { type: 'callback' }
  for (const schema of schemas) {
    const full = fill(schema, all) as MockEvent
    const fields = Object.keys(schema.properties)
    const events = [
      full,
      // Fields that are not required decide which others are shown.
      ...fields
        .filter((name) => !(schema.required ?? []).includes(name))
        .map((name) => ({ ...full, [name]: undefined }))
    ]
    for (const event of events) {
      for (const sent of [undefined, callback]) {
        const line = formatEvent(event, false, sent)
        t.notMatch(line, raw, event.type)
        t.notMatch(line, '\n', event.type)
        t.notMatch(formatEvent(event, true, sent).replace(colour, ''), raw, `${event.type} colours`)
      }
    }
  }
})

const check = {
  operation: all,
  version: 'v2' as const,
  method: 'GET',
  path: all,
  name: all,
  reason: all
}
const difference = { kind: 'unknown-field' as const, field: all, more: 'server' as const }

const print = (report: Report): string => writeConsole(report, new PassThrough(), {})

/** Reports with a hostile text in every field. */
const reports: Record<string, () => string> = {
  exam: () => {
    const report = fill(ReportSchema, all) as ExamReport
    const own = { id: 'SIG-01', title: 'title', proves: 'sentence', fix: 'advice' }
    const checks = examVerdicts.map((verdict) => ({ ...report.checks[0], ...own, verdict }))
    return print(reportExam({ ...report, checks }, usualBar))
  },
  conform: () =>
    print(
      reportConformance({
        momock: '1',
        subject: ['http://127.0.0.1'],
        mode: 'recording',
        started: '',
        checks: [
          { ...check, outcome: 'failed', differences: [{ ...difference, message: all }] },
          { ...check, outcome: 'skipped', differences: [] }
        ],
        others: [all]
      })
    ),
  lint: () =>
    print(
      reportLint({
        passed: false,
        checked: 1,
        rules: [{ id: 'rule', severity: 'refused', title: all, found: 1 }],
        findings: [
          {
            rule: 'rule',
            severity: 'refused',
            title: all,
            why: all,
            message: all,
            count: 1,
            requests: [1],
            request: { id: 1, method: all, url: all, body: all },
            equivalent: { method: 'POST', path: all, body: { [all]: all }, notes: [all] }
          }
        ]
      })
    ),
  load: () => {
    const line = { answers: 1, p50: 1, p90: 1, p99: 1, max: 1, wrong: 1 }
    return formatSummary({
      momock: '1',
      url: '',
      started: '',
      asked: { rate: 1, seconds: 1, connections: 1, mix: '' },
      interrupted: false,
      seconds: [],
      kinds: Object.fromEntries(kindNames.map((kind) => [kind, line])),
      total: { ...line, errors: 0, timeouts: 0, perSecond: 1 },
      samples: [all]
    } as unknown as LoadReport)
  }
}

t.test('no text of a report reaches the terminal raw', async (t) => {
  for (const [name, write] of Object.entries(reports)) {
    const written = write()
    t.notMatch(written, raw, name)
    t.notMatch(written, /^12:00:00/m, `${name} has no forged line`)
    t.match(written, '\\u001b[31m', `${name} shows the text`)
  }
})

/** Sends bytes as they are, and waits for the end of the answer. */
async function sendRaw (url: string, request: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end(Buffer.from(request, 'latin1'))
  await text(socket)
}

/** Requests with hostile texts wherever a stranger can put one. */
async function provoke (url: string): Promise<void> {
  const token = 'test-token'
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const call = (method: string, path: string, body: unknown) =>
    fetch(url + path, { method, headers, body: JSON.stringify(body) })
  const valid = deposit()
  const payer = (provider: string) => ({
    type: 'MMO',
    accountDetails: { phoneNumber: '260763456789', provider }
  })
  const metadata = [{ [`x${all}`]: all }]
  for (const body of [
    { ...deposit(), depositId: all },
    { ...deposit(), amount: all },
    { ...deposit(), currency: all },
    { ...deposit(), payer: payer(all) },
    { ...deposit(), [all]: all },
    { ...deposit(), clientReferenceId: all },
    { ...deposit(), customerMessage: all },
    { ...deposit(), metadata },
    valid,
    { ...valid, amount: '16' }
  ]) {
    await call('POST', '/v2/deposits', body)
  }
  await call('POST', '/v2/statements', { callbackUrl: all, description: all })
  await call('POST', `/v2/${encodeURIComponent(all)}`, {})
  await call('PATCH', '/__admin/account', { callbacks: { [all]: all } })
  const request = (path: string, line: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n${line}\r\n` +
    'Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}'
  const paths = ['/v2/\u009b31m', '//\u009b[', '/v2/deposits/\u0085', '/v2/deposits?\u009b=1']
  for (const path of paths) {
    await sendRaw(url, request(path, 'User-Agent: \u009b31m'))
  }
  const lines = ['X-Momock-Scenario', 'Accept-Language', 'Signature-Input', 'Signature', 'Origin']
  for (const name of lines) {
    await sendRaw(url, request('/v2/deposits', `${name}: sig=\u009b31m\u0085`))
  }
}

/** Starts a server whose log is a text for people, or JSON. */
async function start (t: Test, format: string) {
  const args = ['--port', '0', '--db', ':memory:', '--log-format', format, '--log-level', 'trace']
  const program = startProgram(t, command(args), { cwd: folder(t) })
  await program.prints(/Ctrl-C|momock is ready/)
  const [url] = await program.prints(/http:\/\/127\.0\.0\.1:\d+/)
  return { ...program, url }
}

t.test('no text of a stranger reaches the terminal of the server raw', async (t) => {
  for (const format of ['pretty', 'json']) {
    const { url, written, stop } = await start(t, format)
    await provoke(url)
    await stop('SIGINT')
    const both = written.stdout + written.stderr
    t.notMatch(both, raw, format)
    t.notMatch(both, /^12:00:00 {2}deposit 4e742c59/m, 'no line is forged')
    if (format === 'pretty') t.match(both, 'u001b', 'the texts were printed')
  }
})

t.test('no text of a stranger reaches the terminal of a command raw', async (t) => {
  const { url } = await start(t, 'json')
  const merchant = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(merchant, 'listening')
  t.teardown(() => merchant.close())
  const { port } = merchant.address() as AddressInfo
  const where = { cwd: folder(t), env: { TZ: 'UTC' } }
  const tails = [[], ['--json']].map((more) =>
    startProgram(t, command(['tail', '--url', url, ...more]), where)
  )
  for (const tail of tails) await tail.prints(/Ctrl-C stops it/, 'stderr')
  await fetch(`${url}/__admin/account`, {
    method: 'PATCH',
    body: JSON.stringify({ callbacks: { deposits: `http://127.0.0.1:${port}/\u202ehook` } }),
    headers: { 'content-type': 'application/json' }
  })
  await provoke(url)
  const journal = await (await fetch(`${url}/__admin/requests?limit=1000`)).text()
  writeFileSync(join(where.cwd, 'journal.json'), journal)
  const commands = [
    ['payments', '--url', url],
    ['payments', '--url', url, '--json'],
    ['send', 'deposit', '--url', url, '--amount', all],
    ['send', 'deposit', '--url', url],
    ['lint', 'journal.json'],
    ['lint', '--url', url],
    ['doctor', '--port', new URL(url).port],
    ['verify', all, '--url', url],
    [all]
  ]
  for (const words of commands) {
    const { stdout, stderr } = await runCommand(t, words, where)
    const name = showText(words.join(' '))
    t.notMatch(stdout + stderr, raw, name)
    t.ok(stdout + stderr, `${name} printed something`)
  }
  for (const { written, stop } of tails) {
    await until(
      async () => written.stdout,
      (text) => text.includes('INVALID')
    )
    const { stdout } = await stop('SIGINT')
    t.notMatch(stdout, raw)
    t.notMatch(stdout, /^12:00:00 {2}deposit 4e742c59/m, 'no line is forged')
  }
})
