import { setTimeout as sleep } from 'node:timers/promises'
import { requests } from '../../support/examples.ts'
import { seededRandom } from '../../support/random.ts'
import { startServer, until, type Answer, type Running } from '../../support/server-process.ts'

/** Kills of a server in the middle of work on a whole account. */

export interface WholeAccountOptions {
  /** Rounds of each piece of work. */
  rounds: number
  seed: number
  /** File or URL of an empty ledger. */
  db: string
  report?: (line: string) => void
}

/** What a server shows of its account. */
interface Sight {
  payments: number
  snapshots: Record<string, number>
}

/** Payments of the account, and of the snapshot that each round begins with. */
const payments = 1000
const inBase = 600
/** Longest time from the beginning of work to the kill, unless the work says something else. */
const usualMs = 120

/** A piece of work: its request, and what may be there when the server was killed. */
interface Work {
  name: string
  begin: (server: Running, file: Buffer) => Promise<unknown>
  after: (before: Sight) => Sight
  longestMs?: number
}

const base = { base: inBase }
const works: Work[] = [
  {
    name: 'reset',
    begin: (server) => server.call('POST', '/__admin/reset'),
    after: ({ snapshots }) => ({ payments: 0, snapshots })
  },
  {
    name: 'restore',
    begin: (server) => server.call('POST', '/__admin/snapshots/base/restore'),
    after: ({ snapshots }) => ({ payments: inBase, snapshots })
  },
  {
    name: 'snapshot',
    begin: (server) => server.call('POST', '/__admin/snapshots', { name: 'next' }),
    after: (before) => ({ ...before, snapshots: { ...base, next: before.payments } })
  },
  {
    name: 'import',
    begin: ({ url }, file) =>
      fetch(`${url}/__admin/snapshots/next/file`, {
        method: 'PUT',
        headers: { authorization: 'Bearer test-token', 'content-type': 'application/gzip' },
        body: new Uint8Array(file)
      }),
    after: (before) => ({ ...before, snapshots: { ...base, next: inBase } }),
    longestMs: 800
  },
  {
    // The answer comes before the rows are deleted.
    name: 'deletion of old rows',
    begin: async (server) => {
      await server.call('POST', '/__admin/reset')
    },
    after: ({ snapshots }) => ({ payments: 0, snapshots })
  }
]

/** Runs the rounds. Returns what was lost or half done. */
export async function runWholeAccountRounds (options: WholeAccountOptions): Promise<string[]> {
  const { rounds, seed, db, report = () => {} } = options
  const random = seededRandom(seed)
  const problems: string[] = []
  const start = (): Promise<Running> => startServer({ db, args: ['--clock', 'frozen'] })
  let server = await start()
  await pay(server, inBase)
  await server.call('POST', '/__admin/snapshots', { name: 'base' })
  const exported = await fetch(`${server.url}/__admin/snapshots/base/file`, {
    headers: { authorization: 'Bearer test-token' }
  })
  const file = Buffer.from(await exported.arrayBuffer())
  for (const { name, begin, after, longestMs = usualMs } of works) {
    const seen = { before: 0, after: 0 }
    for (let round = 1; round <= rounds; round++) {
      await server.call('POST', '/__admin/snapshots/base/restore')
      await server.call('DELETE', '/__admin/snapshots/next')
      await pay(server, payments - inBase)
      const before = await look(server)
      const work = begin(server, file).catch(() => {})
      if (name.startsWith('deletion')) await work
      await sleep(random.integer(0, longestMs))
      await server.stop('SIGKILL')
      await work
      server = await start()
      const found = await look(server)
      const allowed = { before, after: after(before) }
      const state = (['before', 'after'] as const).find(
        (one) => JSON.stringify(allowed[one]) === JSON.stringify(found)
      )
      if (state === undefined) problems.push(`${name}, round ${round}: ${JSON.stringify(found)}`)
      else seen[state]++
      const broken = await findProblems(server, found)
      problems.push(...broken.map((one) => `${name}, round ${round}: ${one}`))
    }
    report(`${name}: ${seen.before} times not done, ${seen.after} times done`)
  }
  await server.stop('SIGTERM')
  return problems
}

/** Creates payouts, which take money. */
async function pay (server: Running, count: number): Promise<void> {
  for (let done = 0; done < count; done += 20) {
    const payouts = Array.from({ length: 20 }, () => ({ ...requests.v2.payout!(), amount: '1' }))
    await server.call('POST', '/v2/payouts/bulk', payouts)
  }
  await server.call('POST', '/__admin/clock/advance', { until: 'idle' })
}

async function look (server: Running): Promise<Sight> {
  const { body: counts } = await server.call<any>('GET', '/__admin/payments/counts')
  const { body } = await server.call<any>('GET', '/__admin/snapshots')
  return {
    payments: counts.counts.reduce((sum: number, { count }: { count: number }) => sum + count, 0),
    snapshots: Object.fromEntries(
      body.snapshots.map(({ name, payments }: any) => [name, payments]).sort()
    )
  }
}

/** Checks that nothing is half done, and that old rows are deleted. */
async function findProblems (server: Running, { snapshots }: Sight): Promise<string[]> {
  const audit = (): Promise<Answer<any>> => server.call('GET', '/__admin/invariants')
  const problems: string[] = []
  const check = async (what: string): Promise<void> => {
    const { body } = await audit()
    if (body.hold !== true) problems.push(`${what}: ${JSON.stringify(body.invariants)}`)
  }
  await check('the account')
  for (const [name, count] of Object.entries(snapshots)) {
    await server.call('POST', `/__admin/snapshots/${name}/restore`)
    await check(`snapshot ${name}`)
    const { payments } = await look(server)
    if (payments !== count) problems.push(`snapshot ${name} has ${payments} payments`)
  }
  await until(
    async () => (await audit()).body.oldPayments as number,
    (count) => count === 0,
    60_000
  )
  return problems
}
