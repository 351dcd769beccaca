import autocannon from 'autocannon'
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeposits, createV1Deposits, headers } from './bodies.ts'
import type { Server } from './processes.ts'

/** Result of a round of load. */
export interface Round {
  /** Requests that were answered. */
  count: number
  /** Requests per second. */
  rate: number
  /** The server's processor time for one request, in microseconds. */
  cpu: number
  /** Times of the answers, in microseconds. */
  latency: RecordableHistogram
  /** Identifiers of the payments that were made. */
  ids: string[]
}

/** Load of so many requests. `known` are payments that the server has. */
export type Load = (
  server: Pick<Server, 'url' | 'ca' | 'cpu'>,
  count: number,
  known: string[],
  crowd?: Crowd
) => Promise<Round>

/** The concurrency every figure is measured at. */
export const connections = 50

/** Clients that send the requests of a round. */
export interface Crowd {
  connections?: number
  /** Requests per second of all clients together, in loads that have a rate. */
  rate?: number
  /** Tokens of the requests, in turn; without them, that of the default account. */
  tokens?: readonly string[]
}

/** Most characters of a wrong answer in a message. */
const longestQuote = 500

const usualConnections = connections

/** Duration of the default script. No payment is final earlier, on a server of any speed. */
const scriptMs = 500

/** Posts deposits, each with an identifier of its own. */
export const postDeposits: Load = (server, count, _, crowd) => {
  const deposits = createDeposits(count)
  return post(server, '/v2/deposits', deposits.bodies, '"ACCEPTED"', deposits.ids, crowd)
}

/** Posts the same deposits as v1 writes them. */
export const postV1Deposits: Load = (server, count) => {
  const deposits = createV1Deposits(count)
  return post(server, '/deposits', deposits.bodies, '"ACCEPTED"', deposits.ids)
}

/** Posts deposits that the server has accepted already. */
export const repeatDeposits: Load = (server, count, known) => {
  const ids = Array.from({ length: count }, (_, i) => known[i % known.length])
  const { bodies } = createDeposits(count, ids)
  return post(server, '/v2/deposits', bodies, '"DUPLICATE_IGNORED"', [])
}

/**
 * Posts deposits and waits until the last of them are final. Waiting for the script is not work,
 * but what is overdue when it ends, or is worked off meanwhile, was owed during the load: that time
 * counts.
 */
export const runDeposits: Load = async (server, count) => {
  const before = server.cpu()
  const { rate, ids, latency } = await postDeposits(server, count, [])
  const loaded = server.cpu()
  const end = performance.now()
  for (const id of ids.slice(-connections)) await untilFinal(server, id)
  const owed = Math.max(performance.now() - end - scriptMs, server.cpu() - loaded)
  const seconds = count / rate + owed / 1000
  const cpu = ((server.cpu() - before) * 1000) / count
  return { count, rate: count / seconds, cpu, latency, ids }
}

/** Looks up deposits, going round the known identifiers. */
export const getDeposits: Load = async (server, count, known, crowd) => {
  const { authorization } = headers
  const requests = Array.from({ length: count }, (_, i): autocannon.Request => ({
    path: `/v2/deposits/${known[i % known.length]}`,
    headers: { authorization }
  }))
  return { ...(await sendAll(server, requests, '"FOUND"', crowd)), ids: [] }
}

async function post (
  server: Parameters<Load>[0],
  path: string,
  bodies: string[],
  answer: string,
  ids: string[],
  crowd?: Crowd
): Promise<Round> {
  const { tokens = [] } = crowd ?? {}
  const requests = bodies.map((body, i): autocannon.Request => ({
    method: 'POST',
    path,
    headers:
      tokens.length === 0
        ? headers
        : { ...headers, authorization: `Bearer ${tokens[i % tokens.length]}` },
    body
  }))
  return { ...(await sendAll(server, requests, answer, crowd)), ids }
}

/**
 * Sends the requests over all connections. The time counts from the first to the last answer. All
 * requests are built before the first is sent.
 */
export async function sendAll (
  server: Pick<Server, 'url' | 'ca' | 'cpu'>,
  requests: autocannon.Request[],
  answer: string,
  { connections = usualConnections }: Crowd = {}
): Promise<Omit<Round, 'ids'>> {
  const count = requests.length
  const latency = createHistogram()
  const cpuBefore = server.cpu()
  let connection = 0
  let answered = 0
  let started = 0
  let ended = 0
  let status = 0
  /** What was wrong first: nobody can tell the cause from numbers. */
  let wrong = ''
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(
      {
        url: server.url,
        ...(server.ca !== undefined && { tlsOptions: { ca: server.ca } }),
        connections,
        amount: count,
        // In seconds. A machine with other work may need long for one answer.
        timeout: 120,
        sampleInt: 50,
        // Connection n sends requests n, n + 50, n + 100 …, so that the last ones of the list are
        // sent last.
        setupClient: (client) => {
          const first = connection++
          client.setRequests(requests.filter((_, i) => i % connections === first))
        },
        verifyBody: (body) => {
          const isRight = (body as string).includes(answer)
          if (!isRight && wrong === '') wrong = `${status} ${String(body).slice(0, longestQuote)}`
          return isRight
        }
      },
      (error, result) => (error == null ? resolve(result) : reject(error))
    )
    run.on('start', () => {
      started = performance.now()
    })
    // The first answer of a connection does not count: it waits for the start of all of them. In a
    // short round there may be no others.
    const openClients = new Set<autocannon.Client>()
    const isShort = count < 10 * connections
    run.on('reqError', ({ message }: Error) => {
      if (wrong === '') wrong = message
    })
    run.on('response', (client, statusCode, _bytes, ms) => {
      // Before the body is verified.
      status = statusCode
      if (isShort || openClients.has(client)) recordTime(latency, ms)
      else openClients.add(client)
      if (++answered === count) ended = performance.now()
    })
  })
  if (result['2xx'] !== count || result.errors > 0 || result.mismatches > 0) {
    throw new Error(
      `${server.url}: of ${count} requests ${result['2xx']} succeeded, ${result.errors} ` +
        `failed, ${result.mismatches} were answered otherwise than ${answer}; the first: ${wrong}`
    )
  }
  const cpu = ((server.cpu() - cpuBefore) * 1000) / count
  return { count, rate: (count / (ended - started)) * 1000, cpu, latency }
}

/** Adds a time in microseconds: a histogram accepts whole numbers above 0 only. */
function recordTime (histogram: RecordableHistogram, milliseconds: number): void {
  histogram.record(Math.max(1, Math.round(milliseconds * 1000)))
}

async function untilFinal (server: Pick<Server, 'url'>, id: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${server.url}/v2/deposits/${id}`, {
      headers: { authorization: headers.authorization }
    })
    const { data } = (await response.json()) as { data?: { status: string } }
    if (data?.status === 'COMPLETED') return
    await sleep(10)
  }
}
