import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { select } from '../../src/exam/catalogue.ts'
import type { ExamConfig } from '../../src/exam/config.ts'
import { examine, type Examined } from '../../src/exam/exam.ts'
import { freePort } from '../support/ports.ts'
import { createMomock } from '../../src/index.ts'
import { limitEachTest } from '../support/limits.ts'
import Merchant from './merchants/good.ts'
import { configOf } from './museum.ts'
import { start } from './program.ts'

/** Programs that an exam starts: the application, and commands of the user. They all end. */

limitEachTest()

const shop = `import { createServer } from 'node:http'
createServer((_, response) => response.end()).listen(process.env.PORT, '127.0.0.1')
`
const limits = { callbackTimeoutMs: 2000, requestTimeoutMs: 1000 }
const node = `'${process.execPath}'`

function openFolder (t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'momock-exam-'))
  writeFileSync(join(folder, 'shop.mjs'), shop)
  t.teardown(() => {
    // What left its group is not the exam's to end.
    for (const pid of pidsIn(folder)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
    rmSync(folder, { recursive: true })
  })
  return folder
}

/** Identifiers of the processes that a command has noted. */
function pidsIn (folder: string): number[] {
  const path = join(folder, 'pids')
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : []
}

/** Does a process run? One that has ended, and that nobody has asked for its result, does not. */
function isAlive (pid: number): boolean {
  const path = `/proc/${pid}/stat`
  return existsSync(path) && !/\) Z /.test(readFileSync(path, 'utf8'))
}

async function answers (port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const isOpen = await new Promise<boolean>((resolve) => {
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  })
  socket.destroy()
  return isOpen
}

function configFor (port: number, command: string): ExamConfig {
  const url = `http://127.0.0.1:${port}`
  return {
    callback: `${url}/callbacks`,
    mock: { port: 0 },
    settle: '20ms',
    patience: '100ms',
    start: { command, ready: url, env: { PORT: port } }
  }
}

async function examineIn (folder: string, config: ExamConfig): Promise<Examined> {
  const { checks } = select(['END-01'])
  return await examine({ config, createMock: createMomock, checks, limits, folder })
}

const commands: Array<[what: string, signal: NodeJS.Signals, command: string]> = [
  ['in the place of the shell', 'SIGHUP', `exec ${node} shop.mjs`],
  ['in the background, where the shell ends at once', 'SIGTERM', `${node} shop.mjs &`],
  [
    'beside a process of another session that holds the output',
    'SIGINT',
    `setsid sleep 60 & echo $! > pids; exec ${node} shop.mjs`
  ]
]

for (const [what, signal, command] of commands) {
  t.test(`an application that runs ${what} is stopped at the end`, async (t) => {
    const folder = openFolder(t)
    const port = await freePort()
    const { report } = await examineIn(folder, configFor(port, command))
    t.match(report.checks, [{ id: 'END-01', verdict: 'PASSED' }])
    t.equal(await answers(port), false)
  })

  t.test(`an application that runs ${what} is stopped by ${signal}`, async (t) => {
    const folder = openFolder(t)
    const port = await freePort()
    const hooks = { before: { command: 'sleep 60 & sleep 60' } }
    const config = { ...configFor(port, command), hooks }
    writeFileSync(join(folder, 'exam.yaml'), JSON.stringify(config))
    const exam = start(t, ['END-01', '--json', 'r.json'], folder)
    await exam.prints(/The mock of the exam is at/, 'stderr')
    const { code } = await exam.stop(signal)
    t.equal(code, 1)
    t.equal(await answers(port), false)
    const { summary } = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8'))
    t.equal(summary.interrupted, 'the exam was interrupted')
  })
}

const stubborn = `import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
createServer((_, response) => response.end()).listen(process.env.PORT, '127.0.0.1')
process.on('SIGTERM', () => writeFileSync('asked', ''))
`

t.test('a second signal ends an application that does not want to end', async (t) => {
  const folder = openFolder(t)
  const port = await freePort()
  writeFileSync(join(folder, 'stubborn.mjs'), stubborn)
  const config = {
    ...configFor(port, `exec ${node} stubborn.mjs`),
    hooks: { before: { command: 'sleep 60' } }
  }
  writeFileSync(join(folder, 'exam.yaml'), JSON.stringify(config))
  const exam = start(t, ['END-01'], folder)
  await exam.prints(/The mock of the exam is at/, 'stderr')
  exam.child.kill('SIGINT')
  while (!existsSync(join(folder, 'asked'))) await nextTurn()
  t.equal((await exam.stop('SIGINT')).code, 1)
  t.equal(await answers(port), false)
})

const servant = 'sleep 60 & echo $! >> pids'

t.test('a command may leave a process behind, such as a database', async (t) => {
  const folder = openFolder(t)
  const config = configFor(await freePort(), `exec ${node} shop.mjs`)
  const hooks = { before: { command: servant } }
  const { report } = await examineIn(folder, { ...config, hooks })
  t.match(report.checks, [{ id: 'END-01', verdict: 'PASSED' }])
  t.ok(pidsIn(folder).every(isAlive))
})

t.test('a command that does not end is killed with its children', async (t) => {
  const folder = openFolder(t)
  const config = configFor(await freePort(), `exec ${node} shop.mjs`)
  const hooks = { before: { command: `${servant}; sleep 60` } }
  await t.rejects(examineIn(folder, { ...config, hooks }), {
    isUsage: false,
    message: /hooks\.before: .* the command did not end within 1 s/
  })
  const pids = pidsIn(folder)
  t.equal(pids.length, 1)
  while (pids.some(isAlive)) await nextTurn()
})

t.test('an instance that answers before the start is not examined', async (t) => {
  const older = createServer((_, response) => response.end()).listen(0, '127.0.0.1')
  await once(older, 'listening')
  t.teardown(() => {
    older.closeAllConnections()
    older.close()
  })
  const address = older.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const config = configFor(port, 'exec sleep 60')
  await t.rejects(examineIn(openFolder(t), config), {
    isUsage: false,
    message: /answers already, before start\.command is run/
  })
})

t.test('what an application answers is never run by the shell', async (t) => {
  const folder = openFolder(t)
  const port = await freePort()
  class Injecting extends Merchant {
    override async pay (...given: Parameters<Merchant['pay']>) {
      return { ...(await super.pay(...given)), orderId: 'x; touch INJECTED' }
    }
  }
  const merchant = new Injecting({ baseUrl: `http://127.0.0.1:${port}`, token: 'exam-token' })
  const config = { ...configOf(await merchant.open()), mock: { port } }
  t.teardown(() => merchant.close())
  const { checks } = select(['SIG-07'])
  const asked = (command: string) =>
    examine({
      config: { ...config, observe: { command } },
      createMock: createMomock,
      checks,
      limits,
      folder
    })
  await t.rejects(asked('echo {{reference}}'), { message: /did not give JSON, but \{\{reference/ })
  const { report } = await asked('echo "{\\"paid\\": true, \\"is\\": \\"$MOMOCK_REFERENCE\\"}"')
  t.equal(report.checks.length, 1)
  t.notOk(existsSync(join(folder, 'INJECTED')))
})
