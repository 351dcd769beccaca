import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { CallbackReceiver } from '../../src/cli/load/callback-receiver.ts'
import { Counter, type Figures, type Second } from '../../src/cli/load/figures.ts'
import { summariseLags } from '../../src/cli/load/lag.ts'
import { findLimit, judgeStep } from '../../src/cli/load/limit-search.ts'
import { Lives } from '../../src/cli/load/lives.ts'
import { LiveView } from '../../src/cli/load/live-view.ts'
import type { Report } from '../../src/cli/load/report.ts'
import { drawPlot } from '../../src/cli/load/terminal-plot.ts'
import { createMomock, type Momock } from '../../src/index.ts'
import { runCommand } from '../support/command-runner.ts'
import { long } from '../support/full.ts'
import { folder, receiver } from '../support/helper.ts'
import { command } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

/** `momock load` with callbacks: whole lives, storms, and the search for the highest rate. */

async function startMock (t: Test): Promise<Momock> {
  const mock = await createMomock({ clock: 'running' })
  t.teardown(mock.close)
  return mock
}

function readReport (cwd: string): Report {
  return JSON.parse(readFileSync(join(cwd, 'load.json'), 'utf8')) as Report
}

t.test('load --lives follows each payment to its callback', async (t) => {
  const mock = await startMock(t)
  const cwd = folder(t)
  const merchant = 'http://127.0.0.1:9/merchant'
  await mock.configure({ callbacks: { deposits: merchant } })
  const reports = ['--json', 'load.json', '--html', 'load.html']
  const run = ['--lives', '--rate', '60', '--duration', '1s', '--mix', 'initiations=1']
  const { code, stdout, stderr } = await runCommand(
    t,
    ['load', '--url', mock.url, ...run, ...reports],
    { cwd }
  )
  t.equal(code, 0, stdout + stderr)
  const { lives, kinds, seconds } = readReport(cwd)
  const accepted = kinds.initiations.answers
  t.match(lives, { accepted, told: accepted, lost: 0, doubled: 0, unknown: 0 })
  t.match(lives?.signatures, { verified: Math.ceil(accepted / 50), invalid: 0 })
  t.equal(lives?.lag?.measured, accepted, 'the lag of every callback')
  t.equal(
    lives?.lag?.histogram.reduce((sum, { callbacks }) => sum + callbacks, 0),
    accepted
  )
  t.ok(seconds.every((second) => second.lives !== undefined))
  t.match(stdout, `${accepted} callbacks arrived, 0 were lost, 0 came twice`)
  t.match(stdout, /lag from the final state to the callback, ms: p50 \d/)
  t.match(stderr, /wrong +callbacks +open +life p99$/m)
  t.match(readFileSync(join(cwd, 'load.html'), 'utf8'), 'Callbacks by lag')
  t.equal((await mock.account()).settings.callbacks?.deposits, merchant, 'the URL is put back')
})

t.test('load --lives without a rate does not send more than the mock calls back', async (t) => {
  const mock = await startMock(t)
  const cwd = folder(t)
  const { code, stdout } = await runCommand(
    t,
    ['load', '--url', mock.url, '--lives', '--duration', '1s', '--json', 'load.json'],
    { cwd }
  )
  t.equal(code, 0, stdout)
  const { lives, kinds } = readReport(cwd)
  t.ok(kinds.initiations.answers > 0)
  t.match(lives, { accepted: kinds.initiations.answers, lost: 0, doubled: 0 })
  t.equal((await mock.account()).settings.callbacks?.deposits, undefined, 'no URL is left')
})

t.test('load --callbacks sends signed callbacks of real payments to a receiver', async (t) => {
  const mock = await startMock(t)
  const merchant = await receiver(t, [200, 500, 503])
  const cwd = folder(t)
  const run = ['--callbacks', merchant.url, '--rate', '40', '--duration', '1s']
  const { code, stdout, stderr } = await runCommand(
    t,
    ['load', '--url', mock.url, ...run, '--json', 'load.json', '--html', 'load.html'],
    { cwd }
  )
  const { storm, kinds } = readReport(cwd)
  const sent = kinds.initiations.answers
  t.equal(code, 1, 'a refused callback is a problem')
  t.match(storm, {
    url: merchant.url,
    sent,
    acknowledged: sent - 2,
    unsent: 0,
    answers: { 200: sent - 2, 500: 1, 503: 1 }
  })
  const ids = new Set(merchant.received.map(({ body }) => String(body.depositId)))
  t.equal(ids.size, sent, 'the callback of each payment')
  t.ok(merchant.received.every(({ headers }) => headers.signature !== undefined))
  const [id] = ids
  t.match(await mock.payment('deposit', id), { status: 'COMPLETED' })
  t.match(stdout, new RegExp(`^answers: ${sent - 2} × 200, 1 × 500, 1 × 503$`, 'm'))
  t.match(stderr, /wrong +callbacks +refused +answer p99$/m)
  t.match(readFileSync(join(cwd, 'load.html'), 'utf8'), 'Callbacks per second')
})

t.test('load ends in order with a signal, and puts the callback URL back', async (t) => {
  const mock = await startMock(t)
  const callbacks = { deposits: 'http://127.0.0.1:9/merchant' }
  const ways = ['SIGINT', 'SIGTERM', 'SIGHUP', 'a closed pipe'] as const
  const endings = ways.map(async (way) => {
    const own = mock.as(`sandbox-${way.replaceAll(' ', '-')}`)
    await own.configure({ callbacks })
    const run = ['--lives', '--url', mock.url, '--duration', '5m', '--rate', '20']
    const words = command(['load', ...run, '--token', own.token])
    const { child, prints, stop, end } = startProgram(t, words)
    // The row of any second: a busy machine can be late for the first.
    await prints(/^ +\d+ /m, 'stderr')
    t.notMatch((await own.account()).settings, { callbacks })
    if (way === 'a closed pipe') {
      child.stderr?.destroy()
      t.match(await end(), { code: 141, signal: null }, way)
    } else {
      t.match(await stop(way), { code: 0, signal: null, stdout: /answers per second/ }, way)
    }
    t.match((await own.account()).settings, { callbacks }, way)
  })
  await Promise.all(endings)
})

const stopped: Array<[name: string, flags: (url: string) => string[], asked: string]> = [
  ['a storm', (url) => ['--callbacks', url], 'GET /__admin/callbacks'],
  ['whole lives', () => ['--lives'], 'GET /__admin/clock']
]

for (const [name, flags, asked] of stopped) {
  // A run of whole lives waits for its last callbacks.
  const options = name === 'whole lives' ? long : {}
  t.test(`the figures of ${name} outlast the mock, with what it did not do`, options, async (t) => {
    const merchant = await receiver(t)
    const mock = await startMock(t)
    const run = ['--url', mock.url, '--duration', '3s', '--rate', '50']
    const { prints, end } = startProgram(t, command(['load', ...flags(merchant.url), ...run]))
    await prints(/^ +1 /m, 'stderr')
    await mock.close()
    const { code, stdout, stderr } = await end()
    t.equal(code, 1)
    t.match(stdout, /^all +\d+/m)
    t.match(stdout, new RegExp(`^problem: ${asked}.*no server listens there`, 'm'))
    t.match(stdout, /^problem: the callback URL of deposits is still \S+, there was none: PATCH/m)
    t.notMatch(stdout, 'system clock', 'the clock of the account is not known')
    t.notMatch(stderr, /^ +at /m)
  })
}

t.test('load --find-limit says if no rate is kept', async (t) => {
  const mock = await startMock(t)
  const cwd = folder(t)
  // The first answer of a mock takes longer than a millisecond.
  const run = ['--find-limit', '--rate', '1', '--p99', '1ms', '--duration', '1s']
  const { code, stdout } = await runCommand(
    t,
    ['load', '--url', mock.url, ...run, '--json', 'load.json', '--html', 'load.html'],
    { cwd }
  )
  t.equal(code, 1)
  t.match(readReport(cwd).limit, { boundMs: 1, rate: 0, steps: [{ rate: 1, isKept: false }] })
  t.match(stdout, /^no rate was kept with a p99 of at most 1 ms$/m)
  t.match(readFileSync(join(cwd, 'load.html'), 'utf8'), 'p99 in milliseconds by rate')
})

t.test('load refuses flags that do not fit, and a frozen clock', async (t) => {
  const mock = await createMomock({ clock: 'frozen' })
  t.teardown(mock.close)
  const receiver = ['--callbacks', 'http://127.0.0.1:9/']
  const rows: Array<[args: string[], said: string | RegExp]> = [
    [receiver, '--callbacks needs --rate, the number of callbacks per second'],
    [[...receiver, '--rate', '5', '--lives'], '--callbacks and --lives exclude each other'],
    [[...receiver, '--rate', '5', '--find-limit'], '--callbacks and --find-limit exclude'],
    [['--find-limit', '--p99', '11s'], "--p99 must be from '1ms' to '10s', got '11s'"],
    [['--callbacks', 'merchant'], /--callbacks must be the URL of your receiver/],
    [['--lives', '--receiver-host', 'a b'], /--receiver-host must be the name of this machine/],
    [['--lives'], 'the clock of this account is frozen, so no payment ends'],
    [[...receiver, '--rate', '5'], 'the clock of this account is frozen, so no payment ends']
  ]
  for (const [args, said] of rows) {
    const { code, stderr } = await runCommand(t, ['load', '--url', mock.url, ...args])
    t.equal(code, 2, args.join(' '))
    t.match(stderr, said, args.join(' '))
  }
})

t.test('a receiver counts callbacks that are lost, doubled or unknown', async (t) => {
  const lives = new Lives()
  const callbacks = new CallbackReceiver(lives)
  t.teardown(() => callbacks.close())
  const url = await callbacks.listen('127.0.0.1')
  for (const id of ['told', 'twice', 'lost', 'early', 'refused']) lives.start(id)
  for (const id of ['told', 'twice', 'lost']) lives.accept(id, 0)
  lives.drop('refused')
  for (const id of ['told', 'twice', 'twice', 'early', 'refused', 'other']) {
    const response = await fetch(url, { method: 'POST', body: `{"depositId":"${id}"}` })
    t.equal(response.status, 200)
  }
  lives.accept('early', 0)
  t.same(lives.count(), { accepted: 4, told: 3, open: 1, doubled: 1, unknown: 2 })
  t.match(lives.endSecond(), { callbacks: 3, open: 1 })
  t.match(callbacks.verifySample([]), { verified: 0, invalid: 1, problem: /Signature/ })
})

t.test('a lag is counted in the first class that it fits', async (t) => {
  const { measured, max, histogram } = summariseLags([0, 5, 5.1, 200, 6000])
  t.equal(measured, 5)
  t.ok(max >= 5990, 'the histogram rounds')
  t.same(
    histogram.filter(({ callbacks }) => callbacks > 0),
    [
      { upTo: 5, callbacks: 2 },
      { upTo: 10, callbacks: 1 },
      { upTo: 200, callbacks: 1 },
      { callbacks: 1 }
    ]
  )
  t.match(summariseLags([]), { measured: 0, p99: 0, max: 0 })
})

t.test('the search finds the highest rate of any server within a tenth', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 200_000 }),
      fc.integer({ min: 1, max: 100_000 }),
      async (capacity, start) => {
        const { rate, steps } = await findLimit(
          start,
          100_000,
          50,
          async (rate) => ({ rate, p99: 1, answersPerSecond: rate, isKept: rate <= capacity }),
          new AbortController().signal
        )
        const most = Math.min(capacity, 100_000)
        t.ok(rate <= most && rate >= most / 1.1 - 1, `${rate} of ${most} from ${start}`)
        t.ok(steps.length <= 24)
      }
    ),
    { numRuns: 200 }
  )
})

t.test('a step is kept if answers, their time and the callbacks are in order', async (t) => {
  const figuresOf = (answers: number, ms: number, open: number): Figures => {
    const counter = new Counter()
    for (let i = 0; i < answers; i++) counter.addAnswer('initiations', ms, undefined)
    const figures = counter.summarise(1, { errors: 0, timeouts: 0 })
    const callbacks = { callbacks: 0, open, p50: 0, p90: 0, p99: 0, max: 0 }
    const second = { ...counter.endSecond(1), lives: callbacks }
    return { ...figures, seconds: [second] }
  }
  const rows: Array<[what: string, figures: Figures, reason: RegExp | undefined]> = [
    ['all is well', figuresOf(100, 10, 0), undefined],
    ['answers are slow', figuresOf(100, 60, 0), /^p99 6\d\.\d ms$/],
    ['answers are missing', figuresOf(90, 10, 0), /^only 90 answers per second$/],
    ['callbacks stay behind', figuresOf(100, 10, 301), /^301 payments waited for their callback$/]
  ]
  for (const [what, figures, reason] of rows) {
    const step = judgeStep(100, 1, 50, figures)
    t.equal(step.isKept, reason === undefined, what)
    if (reason !== undefined) t.match(step.reason, reason, what)
  }
})

t.test('a plot has the highest value at full height and the newest on the right', async (t) => {
  const drawn = ['         rate', '    100 ┤  █', '      0 ┤ ██']
  t.same(drawPlot('rate', [0, 50, 100], 40, 2), drawn)
  t.same(drawPlot('rate', [0], 40, 1), ['         rate', '    0.0 ┤ '])
  t.match(drawPlot('rate', [9, 1, 2], 11, 1)[1], /┤▄█$/, 'older values leave on the left')
})

t.test('a terminal shows plots that replace each other', async (t) => {
  const latency = { p50: 1, p90: 1, p99: 1, max: 1 }
  const second: Second = {
    ...latency,
    second: 1,
    length: 1,
    answers: 5,
    wrong: 0,
    kinds: { initiations: 5, duplicates: 0, checks: 0 }
  }
  const rows: Array<[isTTY: boolean, plots: number, erased: number]> = [
    [true, 3, 2],
    [false, 0, 0]
  ]
  for (const [isTTY, plots, erased] of rows) {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 60 })
    const view = new LiveView(stream, isTTY, 'none')
    view.begin('first')
    view.addSecond(second)
    view.addSecond({ ...second, second: 2 })
    view.begin('next')
    view.addSecond(second)
    stream.end()
    const shown = await text(stream)
    t.equal(shown.split('answers per second').length - 1, plots)
    t.equal(shown.split('\u001B[11A\u001B[0J').length - 1, erased, 'the plots before')
    t.match(shown, 'next')
  }
})

t.test('load --lives leaves other accounts alone', async (t) => {
  const mock = await startMock(t)
  const merchant = await receiver(t)
  await mock.configure({ callbacks: { deposits: merchant.url } })
  const { code } = await runCommand(t, [
    ...['load', '--url', mock.url, '--token', 'sandbox-other', '--lives'],
    ...['--rate', '5', '--duration', '1s']
  ])
  t.equal(code, 0)
  t.equal((await mock.account()).settings.callbacks?.deposits, merchant.url)
  t.equal(merchant.received.length, 0)
})
