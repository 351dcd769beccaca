import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { requests } from '../support/examples.ts'
import { build, folder, id, until } from '../support/helper.ts'
import { command } from '../support/process.ts'
import { startProgram } from '../support/program.ts'
import { waitFor } from '../support/waits.ts'

/** Output of the real program: to files, to slow readers, and to readers that end first. */

/** More than a pipe and the buffer of its reader take together. */
const much = 140_000
/** Bytes that the slow reader takes at once. */
const sip = 512

interface Output {
  code: number | null
  stdout: string
  stderr: string
}

/** Many expectations that are not met. */
const expectations = Array.from({ length: 950 }, (_, n) => `  - request: { path: /x${n} }\n`)

/** A mock with many payments, and a folder with a file of expectations. */
async function stage (t: Test) {
  const { call, url } = await build(t, { clock: 'frozen' })
  const cwd = folder(t)
  writeFileSync(join(cwd, 'wanted.yaml'), `expectations:\n${expectations.join('')}`)
  const name = 'long-name-'.repeat(6)
  await call('POST', '/__admin/scenarios', { name, script: 'slow-approval' })
  const payouts = (): unknown[] =>
    Array.from({ length: 20 }, () => ({ ...requests.v2.payout!(), payoutId: id(), amount: '1' }))
  for (let n = 0; n < 50; n++) await call('POST', '/v2/payouts/bulk', payouts())
  return { call, cwd, urlFlag: (name: string) => [name, url] }
}

/** Runs the program with its output in files. */
async function runToFiles (cwd: string, args: string[]): Promise<Output> {
  const paths = ['out', 'err'].map((name) => join(cwd, name))
  const [file, ...words] = command(args)
  const [out, err] = paths.map((path) => openSync(path, 'w'))
  const [code] = await once(spawn(file, words, { cwd, stdio: ['ignore', out, err] }), 'close')
  const [stdout, stderr] = paths.map((path) => readFileSync(path, 'utf8'))
  return { code, stdout, stderr }
}

/** Runs the program with pipes that are read late, and then slowly. */
async function runToPipes (cwd: string, args: string[]): Promise<Output> {
  const [file, ...words] = command(args)
  const child = spawn(file, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'close')
  // Without a listener, Node drops what was not read when the program ends.
  for (const stream of [child.stdout, child.stderr]) stream.on('readable', () => {})
  const isFull = ({ readableLength, readableHighWaterMark }: Readable): boolean =>
    readableLength >= readableHighWaterMark
  const isWaiting = async (): Promise<boolean> =>
    child.exitCode === null && !isFull(child.stdout) && !isFull(child.stderr)
  await until(isWaiting, (value) => !value)
  const [stdout, stderr] = await Promise.all([child.stdout, child.stderr].map(readSlowly))
  return { code: (await ended)[0], stdout, stderr }
}

async function readSlowly (stream: Readable): Promise<string> {
  const chunks: Buffer[] = []
  while (!stream.readableEnded) {
    const size = Math.min(sip, stream.readableLength)
    const chunk = stream.read(size === 0 ? undefined : size) as Buffer | null
    if (chunk !== null) chunks.push(chunk)
    await setImmediate()
  }
  return Buffer.concat(chunks).toString()
}

const rows: Array<[what: string, args: string[], urlFlag: string, code: number]> = [
  ['payments as JSON', ['payments', '--limit', '1000', '--json'], '--url', 0],
  ['a report on standard output', ['verify', 'wanted.yaml', '--json', '-'], '--url', 1],
  ['the text of a report', ['verify', 'wanted.yaml'], '--url', 1]
]

t.test('a slow reader of a pipe gets what a file gets', async (t) => {
  const { cwd, urlFlag } = await stage(t)
  for (const [what, args, flag, code] of rows) {
    const words = [...args, ...urlFlag(flag)]
    const written = await waitFor(what, runToFiles(cwd, words))
    t.equal(written.code, code, what)
    t.strictSame(await waitFor(what, runToPipes(cwd, words)), written, what)
    const size = written.stdout.length + written.stderr.length
    t.ok(size > much, `${what}: ${size} bytes`)
  }
})

t.test('a reader that ends first ends the program without a stack', async (t) => {
  const { call, cwd, urlFlag } = await stage(t)
  const followed = ['a stream that goes on', ['tail', '--json'], '--url', 0] as const
  for (const [what, args, flag] of [...rows, followed]) {
    const { child, end, prints } = startProgram(t, command([...args, ...urlFlag(flag)]), { cwd })
    if (args[0] === 'tail') {
      await prints(/Ctrl-C stops it/, 'stderr')
      await call('POST', '/v2/deposits', requests.v2.deposit!())
    }
    await prints(/\n/)
    child.stdout?.destroy()
    if (args[0] === 'tail') await call('POST', '/v2/deposits', requests.v2.deposit!())
    const { code, stderr } = await end()
    t.equal(code, 141, what)
    t.notMatch(stderr, /^ +at .*:\d+:\d+|EPIPE/m, what)
  }
})
