import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { postDeposits } from './load.ts'
import { momockServer, serve, tlsServer } from './processes.ts'
import type { Measurement } from './results.ts'
import { compareRounds, runInTurns, type Pace, type RunRound } from './rounds.ts'
import type { RowName } from './rows.ts'

/** Names of the rows about TLS. */
export const tlsRows: readonly RowName[] = ['tls-plain', 'tls']

/**
 * Deposits over HTTPS with HTTP/1.1, and on the plain port of the same server: both as ratios to a
 * server without TLS. The client pays for its part of TLS on its own core.
 */
export async function measureTls (
  names: readonly RowName[],
  folder: string,
  pace: Pace,
  budgetMs: number
): Promise<Measurement[]> {
  const latest = performance.now() + budgetMs
  const tlsFolder = join(folder, 'tls')
  const without = await serve(momockServer(0, join(folder, 'without-tls.db'), 'frozen'))
  const server = await serve(tlsServer(0, join(folder, 'with-tls.db'), tlsFolder))
  try {
    const ca = readFileSync(join(tlsFolder, 'ca.pem'), 'utf8')
    const targets = { 'tls-plain': server, tls: { ...server, url: server.tlsUrl ?? '', ca } }
    const chosen = (['tls-plain', 'tls'] as const).filter((name) => names.includes(name))
    const turns = new Map<string, RunRound>([
      ['without', (count) => postDeposits(without, count, [])],
      ...chosen.map((name): [string, RunRound] => [
        name,
        (count) => postDeposits(targets[name], count, [])
      ])
    ])
    const rounds = await runInTurns(turns, pace, latest)
    return chosen.map((name) => compareRounds(name, rounds.get(name), rounds.get('without')))
  } finally {
    await Promise.all([without.stop(), server.stop()])
  }
}
