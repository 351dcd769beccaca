import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { freePort } from '../../test/support/ports.ts'
import { createDeposits, headers } from '../bodies.ts'
import { getDeposits, postDeposits } from '../load.ts'
import {
  bareServer,
  cpuOf,
  launch,
  memoryOf,
  momockServer,
  pinSelf,
  stop,
  writtenBy,
  type Server
} from '../processes.ts'
import { median } from '../results.ts'
import { runInTurns, type Pace, type RunRound } from '../rounds.ts'
import { describeSettings } from '../settings.ts'
import { peers, type PeerStart } from './peers.ts'

/**
 * `npm run bench:peers`: the same POST and GET against other mock servers, which answer constants
 * and store nothing. They are installed on demand into a folder of the system for temporary files.
 * A peer that cannot be installed or started is skipped, with the reason.
 */

const { values } = parseArgs({
  options: {
    home: { type: 'string', default: join(tmpdir(), 'momock-peers') },
    only: { type: 'string', multiple: true },
    quick: { type: 'boolean', default: false }
  }
})
const pace: Pick<Pace, 'seconds' | 'rounds' | 'warmUps'> = values.quick
  ? { seconds: 0.1, rounds: 1, warmUps: [100] }
  : { seconds: 1, rounds: 5, warmUps: [1000, 5000] }
const figureColumns = (method: string): string[] => [`${method}/s`, 'of bare (by cpu)', 'cpu']
const columns = [
  'Server',
  ...figureColumns('POST'),
  ...figureColumns('GET'),
  'start',
  'memory idle / after',
  'does'
]
const startTimeoutMs = 60_000
const installTimeoutMs = 300_000

/** A started server with its figures. */
interface Started {
  name: string
  does: string
  server: Server
  startMs: number
  idleMemory: number
  known: string[]
}

const folder = mkdtempSync(join(tmpdir(), 'momock-peers-run-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
const isPinned = !values.quick && pinSelf()
const settings = describeSettings({ isPinned, ...pace })
process.stdout.write(
  `${Object.entries(settings)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ')}\n\n`
)

const started: Started[] = []
try {
  await startOurs()
  for (const peer of peers) {
    if (values.only !== undefined && !values.only.includes(peer.name)) continue
    try {
      if (peer.needsJava === true) checkJava()
      install(peer.package)
      const home = join(folder, peer.name)
      mkdirSync(home)
      const [port, second] = [await freePort(), await freePort()]
      const start = peer.prepare(values.home, home, port, second)
      started.push(await startServer(peer.name, peer.does, start, port, home))
    } catch (error) {
      const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
      process.stdout.write(`${peer.name} is skipped: ${reason}\n`)
    }
  }
  process.stdout.write(`${await compare()}\n`)
} finally {
  await Promise.all(started.map(({ server }) => server.stop()))
}

async function startOurs (): Promise<void> {
  const [port, other] = [await freePort(), await freePort()]
  const bare = { args: bareServer(port) }
  started.push(await startServer('bare Fastify route', 'checks the body', bare, port))
  const momock = { args: momockServer(other, join(folder, 'momock.db'), 'frozen') }
  const does = 'checks the body and the rules, stores the payment on disk, keeps a journal'
  started.push(await startServer('momock', does, momock, other))
}

/** Starts a server, and waits until it answers both requests as its stubs say. */
async function startServer (
  name: string,
  does: string,
  { program, args, addStubs }: PeerStart,
  port: number,
  home?: string
): Promise<Started> {
  const url = `http://127.0.0.1:${port}`
  const begun = performance.now()
  const child = launch(args, program, home)
  child.stdout?.resume()
  const pid = child.pid ?? 0
  const server: Server = {
    url,
    cpu: () => cpuOf(pid),
    memory: () => memoryOf(pid),
    written: () => writtenBy(pid),
    stop: () => stop(child),
    kill: () => stop(child, 'SIGKILL')
  }
  let hasStubs = addStubs === undefined
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
      if (performance.now() - begun > startTimeoutMs) throw new Error('it did not start in time')
      hasStubs ||=
        (await addStubs?.().then(
          () => true,
          () => false
        )) ?? false
      const id = hasStubs ? await tryPost(url) : undefined
      if (id !== undefined) {
        const startMs = performance.now() - begun
        return { name, does, server, startMs, idleMemory: server.memory(), known: [id] }
      }
      await sleep(5)
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Sends one deposit. Returns its identifier if it was accepted. */
async function tryPost (url: string): Promise<string | undefined> {
  const { ids, bodies } = createDeposits(1)
  try {
    const answer = await fetch(`${url}/v2/deposits`, { method: 'POST', headers, body: bodies[0] })
    return (await answer.text()).includes('"ACCEPTED"') ? ids[0] : undefined
  } catch {
    return undefined
  }
}

/** Runs the rounds, and returns the table. */
async function compare (): Promise<string> {
  const turnsOf = (load: typeof postDeposits): Map<string, RunRound> =>
    new Map(started.map(({ name, server, known }) => [name, (count) => load(server, count, known)]))
  const posts = await runInTurns(turnsOf(postDeposits), pace, Infinity)
  const gets = await runInTurns(turnsOf(getDeposits), pace, Infinity)
  const [bare] = started
  const rows = started.map(({ name, does, startMs, idleMemory, server }) => {
    const figures = [posts, gets].flatMap((rounds) => {
      const [own = [], base = []] = [rounds.get(name), rounds.get(bare.name)]
      const ratio = median(own.map(({ rate }, i) => rate / base[i].rate))
      const rate = median(own.map(({ rate }) => rate))
      const cpu = median(own.map(({ cpu }) => cpu))
      const ratioOfCpu = median(base.map(({ cpu }) => cpu)) / cpu
      return [
        rate.toFixed(0),
        `${ratio.toFixed(2)} (${ratioOfCpu.toFixed(2)})`,
        `${cpu.toFixed(0)} µs`
      ]
    })
    const memory = `${idleMemory.toFixed(0)} / ${server.memory().toFixed(0)} MiB`
    return `| ${[name, ...figures, `${startMs.toFixed(0)} ms`, memory, does].join(' | ')} |`
  })
  return [`| ${columns.join(' | ')} |`, `|${'---|'.repeat(columns.length)}`, ...rows].join('\n')
}

function checkJava (): void {
  try {
    execFileSync('java', ['-version'], { stdio: 'ignore' })
  } catch {
    throw new Error('it needs Java, and there is no program java')
  }
}

/** Installs a package without its scripts, which would download more. */
function install (name: string): void {
  mkdirSync(values.home, { recursive: true })
  const manifest = join(values.home, 'package.json')
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n')
  if (existsSync(join(values.home, 'node_modules', name.replace(/@[^@/]*$/, '')))) return
  process.stderr.write(`installing ${name} into ${values.home} …\n`)
  try {
    execFileSync(
      'npm',
      ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--silent', name],
      { cwd: values.home, stdio: 'ignore', timeout: installTimeoutMs }
    )
  } catch {
    throw new Error(`npm install ${name} failed; is the registry reachable?`)
  }
}
