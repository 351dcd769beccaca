import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { postDeposits, type Round } from './load.ts'
import { momockServer, serve, tlsServer } from './processes.ts'
import { median } from './report.ts'

/** Runs loads one after the other, round by round. */
type InTurns = (loads: Array<(count: number) => Promise<Round>>) => Promise<Round[][]>

/**
 * Deposits over HTTPS with HTTP/1.1, and on the plain port of the same server: both as ratios to a
 * server without TLS. The client pays for its part of TLS on its own core.
 */
export async function measureTls (folder: string, inTurns: InTurns): Promise<string> {
  const tlsFolder = join(folder, 'tls')
  const without = await serve(momockServer(0, join(folder, 'without-tls.db'), 'frozen'))
  const server = await serve(tlsServer(0, join(folder, 'with-tls.db'), tlsFolder))
  const ca = readFileSync(join(tlsFolder, 'ca.pem'), 'utf8')
  const overTls = { ...server, url: server.tlsUrl ?? '', ca }
  const [base, ...others] = await inTurns([
    (count) => postDeposits(without, count),
    (count) => postDeposits(server, count),
    (count) => postDeposits(overTls, count)
  ])
  await Promise.all([without.stop(), server.stop()])
  const rows = others.map((rounds, i) => {
    const rate = median(rounds.map(({ rate }) => rate)).toFixed(0)
    const ratio = median(rounds.map(({ rate }, n) => rate / base[n].rate)).toFixed(2)
    const what = i === 0 ? 'plain port of a server with TLS' : 'TLS port'
    return (
      `${what}: ${rate} deposits per second, ${ratio} of a server without TLS; ` +
      `${cpuOf(rounds)} µs of processor time each, ${cpuOf(base)} µs without TLS\n`
    )
  })
  return rows.join('')
}

function cpuOf (rounds: Round[]): string {
  return median(rounds.map(({ cpu }) => cpu)).toFixed(0)
}
