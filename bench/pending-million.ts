import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MomockClient } from '../src/client/client.ts'
import { headers } from './bodies.ts'
import { postDeposits } from './load.ts'
import { momockServer, serve, type Server } from './processes.ts'

/** Span of the due times on the account's clock, and the real time in which it passes. */
const spreadMs = 3_600_000
const passesInMs = 5_000
const batch = 5_000
const memoryLimitMiB = 200
const start = '2026-01-01T00:00:00Z'

/**
 * Makes many payments that are all pending, due at random times. Prints how much memory they take,
 * and how fast they are moved when their time comes. Returns true if they are moved no slower than
 * they were accepted, and the memory grows by no more than the limit.
 */
export async function measurePending (count: number, folder: string): Promise<boolean> {
  const server = await serve(momockServer(0, join(folder, 'pending.db'), 'frozen'))
  const client = new MomockClient(server.url, 'test-token')
  /** Makes payments that are due after a random time. */
  const makeBatch = async (size: number): Promise<number> => {
    const after = `${Math.floor(Math.random() * spreadMs)}ms`
    const { name } = await client.scenario({
      when: { kind: 'deposit' },
      script: [
        { after, to: 'PROCESSING' },
        { after: '500ms', to: 'COMPLETED' }
      ]
    })
    const { rate } = await postDeposits(server, size, [])
    await client.removeScenario(name)
    return (size / rate) * 1000
  }
  try {
    await client.setClock({ mode: 'frozen', now: start })
    // The first batch loads modules and fills caches.
    await makeBatch(batch)
    const memoryBefore = server.memory()
    let acceptedMs = 0
    for (let made = 0; made < count; made += batch) {
      acceptedMs += await makeBatch(Math.min(batch, count - made))
    }
    printStep('accepted', count, acceptedMs, server)
    const began = performance.now()
    await client.setClock({ mode: 'running', now: start, speed: spreadMs / passesInMs })
    while ((await countPaid(server)) < count + batch) await sleep(100)
    const movedMs = performance.now() - began
    printStep('moved', count, movedMs, server)
    const growth = Math.round(server.memory() - memoryBefore)
    const ratio = acceptedMs / movedMs
    process.stdout.write(
      `moved at ${ratio.toFixed(2)} of the rate of acceptance, target >= 1; memory grew by ` +
        `${growth} MiB, target <= ${memoryLimitMiB} MiB\n`
    )
    return ratio >= 1 && growth <= memoryLimitMiB
  } finally {
    await server.stop()
  }
}

/** Counts the completed deposits of 15 ZMW by the money in the wallet, which takes no scan. */
async function countPaid ({ url }: Server): Promise<number> {
  const answer = await fetch(`${url}/v2/wallet-balances?country=ZMB`, { headers })
  const { balances } = (await answer.json()) as { balances: Array<{ balance: string }> }
  return (Number(balances[0].balance) - 1_000_000) / 15
}

function printStep (what: string, count: number, ms: number, server: Server): void {
  process.stdout.write(
    `${what.padEnd(10)}${count.toLocaleString('en')} in ${(ms / 1000).toFixed(1)} s, ` +
      `${Math.round((count / ms) * 1000).toLocaleString('en')} per second, ` +
      `${server.memory().toFixed(0)} MiB\n`
  )
}
