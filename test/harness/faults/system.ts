import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { bodyOf } from '../../support/bodies.ts'
import { isAccepted, type Initiated, type Setting } from './setting.ts'

/** A system that runs out of file descriptors, or whose clock jumps. */

/** Parts that are loaded when they are first asked for, and a field of the errors of each area. */
const lazyPaths: ReadonlyArray<[path: string, field: string]> = [
  ['/v2/deposits/nothing', 'failureReason'],
  ['/deposits/nothing', 'errorMessage'],
  ['/__admin/payments', 'error'],
  ['/__admin/openapi.json', 'error'],
  ['/__admin/payments/%', 'error'],
  ['/pay/nothing', 'error'],
  ['/pay/%', 'error'],
  ['/__admin/metrics', 'error']
]

/** What is first asked for while no file can be opened works once files can be opened again. */
export async function runOutOfDescriptors (setting: Setting): Promise<string | undefined> {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' })
  } catch {
    return 'it needs prlimit'
  }
  const server = await setting.start()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const get = (path: string): Promise<{ status: number; body: string }> =>
    new Promise((resolve) => {
      // Pages of the server itself send an Origin, whose check is loaded with the first of them.
      const headers = { accept: 'application/json', origin: `http://127.0.0.1:${server.port}` }
      const address = { host: '127.0.0.1', port: server.port, path, headers, agent }
      const sent = request(address, (response) => {
        text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
      })
      const reject = (): void => resolve({ status: 0, body: '' })
      sent.setTimeout(5000, () => sent.destroy())
      sent.on('error', reject).end()
    })
  const limit = (count: number): void => {
    execFileSync('prlimit', ['--pid', String(server.pid), `--nofile=${count}:`])
  }
  try {
    await get('/health')
    // The connection is open, and nothing more can be.
    limit(firstFree(server.pid))
    for (const [path, field] of lazyPaths) {
      const { status, body } = await get(path)
      if (status === 200) continue
      const hasForm = body.startsWith('{') && Object.hasOwn(JSON.parse(body), field)
      if (!hasForm || body.includes(setting.folder) || body.includes(process.cwd())) {
        setting.problems.push(`${path} was answered ${status} ${body}`)
      }
    }
    await get('/health')
    limit(4096)
    for (const [path] of lazyPaths) {
      await setting.expect(
        `${path} works again`,
        async () => {
          const { status } = await get(path)
          return status > 0 && status < 500
        },
        20_000
      )
    }
    const accepted = (await setting.initiateMany(10)).filter(isAccepted)
    if (accepted.length !== 10) setting.problems.push(`${accepted.length} of 10 were accepted`)
    await setting.expectTold(accepted)
  } finally {
    agent.destroy()
  }
}

/** The number that the next file of a process would have. */
function firstFree (pid: number): number {
  const used = new Set(readdirSync(`/proc/${pid}/fd`).map(Number))
  return Array.from({ length: used.size + 1 }, (_, n) => n).find((n) => !used.has(n)) ?? used.size
}

const preload = fileURLToPath(new URL('shift-clock.js', import.meta.url))
const dayMs = 86_400_000
const order = ['ACCEPTED', 'PROCESSING', 'COMPLETED']

/** No status goes back when the machine's clock does, and payments go on after either jump. */
export async function jumpClock (setting: Setting): Promise<undefined> {
  const file = join(setting.folder, 'shift')
  writeFileSync(file, '0')
  const server = await setting.start({
    nodeArgs: ['--import', preload],
    env: { SHIFT_CLOCK_BY: file }
  })
  await server.as('test-token').scenario({
    name: 'slow',
    when: { clientReferenceId: 'slow' },
    script: [
      { after: '1ms', to: 'PROCESSING' },
      { after: '1h', to: 'COMPLETED' }
    ]
  })
  const jump = (ms: number): void => {
    writeFileSync(file, String(ms))
    process.kill(server.pid, 'SIGUSR2')
  }
  const slow = crypto.randomUUID()
  const body = { ...bodyOf('deposit', 'v2', { id: slow }), clientReferenceId: 'slow' }
  await server.call('POST', '/v2/deposits', body)
  const statusOf = async (id: string): Promise<string> => {
    const { body } = await server.call<{ data: { status: string } }>('GET', `/v2/deposits/${id}`)
    return body.data?.status ?? 'none'
  }
  await setting.expect('it is PROCESSING', async () => (await statusOf(slow)) === 'PROCESSING')
  const early = (await setting.initiateMany(10)).filter(isAccepted)
  const seen = new Map<string, string>()
  for (const shift of [-dayMs, -60_000, dayMs, 0, 5 * dayMs]) {
    jump(shift)
    await new Promise((resolve) => setTimeout(resolve, 200))
    await notBack(setting, [...early.map(({ id }) => id), slow], statusOf, seen, shift)
    const now: Initiated[] = (await setting.initiateMany(5)).filter(isAccepted)
    if (now.length !== 5) setting.problems.push(`${now.length} of 5 were accepted at ${shift}`)
    await setting.expectTold(now, { when: `at a shift of ${shift} ms` })
  }
  await setting.expectTold(early, { when: 'before the jumps' })
  await setting.expectInvariants()
  return undefined
}

async function notBack (
  setting: Setting,
  ids: string[],
  statusOf: (id: string) => Promise<string>,
  seen: Map<string, string>,
  shift: number
): Promise<void> {
  for (const id of ids) {
    const [before, now] = [seen.get(id) ?? 'ACCEPTED', await statusOf(id)]
    if (order.indexOf(now) < order.indexOf(before)) {
      setting.problems.push(`${id} was ${before}, and is ${now} after a jump to ${shift} ms`)
    }
    seen.set(id, now)
  }
}
