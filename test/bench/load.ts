import autocannon from 'autocannon'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from './processes.ts'

/** Result of a round of load. */
export interface Round {
  /** Requests per second. */
  rate: number
  /** The server's processor time for one request, in microseconds. */
  cpu: number
}

/** The concurrency every figure is measured at. */
export const connections = 50

/**
 * Duration of the default script. No payment is final earlier, on a server of any speed.
 */
const scriptMs = 500

const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }

/**
 * Posts deposits, each with an identifier of its own, as fast as they go or so many in a second.
 * Gives the identifiers too.
 */
export async function postDeposits (
  server: Server,
  count: number,
  pace?: number
): Promise<Round & { ids: string[] }> {
  const posted = deposits(count)
  const before = server.cpu()
  const seconds = await fire(
    server,
    posted.map(({ body }) => ({ method: 'POST', path: '/v2/deposits', headers, body })),
    '"ACCEPTED"',
    pace
  )
  return { ...round(count, seconds, server.cpu() - before), ids: posted.map(({ id }) => id) }
}

/**
 * Posts deposits and waits until the last of them are final. Waiting for the script is not work,
 * but what is overdue when it ends, or is worked off meanwhile, was owed during the load: that time
 * counts.
 */
export async function runDeposits (
  server: Server,
  count: number
): Promise<Round & { ids: string[] }> {
  const before = server.cpu()
  const { rate, ids } = await postDeposits(server, count)
  const loaded = server.cpu()
  const end = performance.now()
  for (const id of ids.slice(-connections)) await untilFinal(server, id)
  const owed = Math.max(performance.now() - end - scriptMs, server.cpu() - loaded)
  return { ...round(count, count / rate + owed / 1000, server.cpu() - before), ids }
}

/** Deposits that nobody has posted yet. */
function deposits (count: number): Array<{ id: string; body: string }> {
  return Array.from({ length: count }, () => {
    const id = randomUUID()
    return { id, body: deposit(id) }
  })
}

/** Looks up deposits, going round the given identifiers. */
export async function getDeposits (server: Server, ids: string[], count: number): Promise<Round> {
  const before = server.cpu()
  const { authorization } = headers
  const requests = Array.from({ length: count }, (_, i): autocannon.Request => ({
    path: `/v2/deposits/${ids[i % ids.length]}`,
    headers: { authorization }
  }))
  const seconds = await fire(server, requests, '"FOUND"')
  return round(count, seconds, server.cpu() - before)
}

function round (count: number, seconds: number, cpuMs: number): Round {
  return { rate: count / seconds, cpu: (cpuMs * 1000) / count }
}

/**
 * Sends the requests over all connections; the seconds from the first to the last answer. All are
 * built before the first is sent.
 */
async function fire (
  server: Server,
  requests: autocannon.Request[],
  answer: string,
  pace?: number
): Promise<number> {
  const count = requests.length
  let connection = 0
  let answered = 0
  let started = 0
  let ended = 0
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url: server.url,
        ...(server.ca !== undefined && { tlsOptions: { ca: server.ca } }),
        connections,
        amount: count,
        // In seconds. A machine with other work may need long for one answer.
        timeout: 120,
        ...(pace !== undefined && { overallRate: pace }),
        sampleInt: 50,
        // Connection n sends requests n, n + 50, n + 100 …, so that the last ones of the list are
        // sent last.
        setupClient: (client) => {
          const first = connection++
          client.setRequests(requests.filter((_, i) => i % connections === first))
        },
        verifyBody: (body) => (body as string).includes(answer)
      },
      (error, result) => (error == null ? resolve(result) : reject(error))
    )
    run.on('start', () => {
      started = performance.now()
    })
    run.on('response', () => {
      if (++answered === count) ended = performance.now()
    })
  })
  if (result['2xx'] !== count || result.errors > 0 || result.mismatches > 0) {
    throw new Error(
      `${server.url}: of ${count} requests ${result['2xx']} succeeded, ${result.errors} ` +
        `failed, ${result.mismatches} were answered otherwise than ${answer}`
    )
  }
  return (ended - started) / 1000
}

async function untilFinal (server: Server, id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${server.url}/v2/deposits/${id}`, {
      headers: { authorization: headers.authorization }
    })
    const { data } = (await response.json()) as { data?: { status: string } }
    if (data?.status === 'COMPLETED') return
    await sleep(10)
  }
}

function deposit (depositId: string): string {
  return JSON.stringify({
    depositId,
    amount: '15',
    currency: 'ZMW',
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
    },
    customerMessage: 'Order 4711',
    clientReferenceId: 'INV-4711',
    metadata: [{ orderId: 'ORD-4711' }]
  })
}
