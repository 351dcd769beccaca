import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openReceiver, type Arrival } from '../../support/receiver.ts'
import { freePort } from '../../support/ports.ts'
import { startServer, type Running } from '../../support/server-process.ts'
import { groupsOfCalls, type Call } from './requests.ts'

/** The same seed and the same requests, twice: the server must say the same bytes. */

export interface DeterminismOptions {
  seed: number
  /** Are the requests of a group sent at once, or one after the other? */
  parallel: boolean
  signed: boolean
}

/** What was said in a run, in an order that does not depend on the network. */
export interface Transcript {
  answers: string[]
  callbacks: string[]
  journal: string[]
  payments: string[]
}

const startOfTime = '2026-01-31T12:00:00.250Z'
const advances = ['60ms', '1s', '1m', '10m', '1h', '1d']
const callbackKinds = [
  'deposits',
  'payouts',
  'refunds',
  'remittances',
  'splitPayments',
  'checkouts'
]

/** Runs twice, on the same port and with the same receiver, and says what differed. */
export async function compareRuns (options: DeterminismOptions): Promise<string[]> {
  const port = await freePort()
  const receiver = await openReceiver()
  try {
    const transcripts: Transcript[] = []
    for (let run = 0; run < 2; run++) {
      receiver.arrivals.length = 0
      transcripts.push(await recordRun(options, port, receiver.url, receiver.arrivals))
    }
    const [first, second] = transcripts
    return differences('answers', first.answers, second.answers)
      .concat(differences('callbacks', first.callbacks, second.callbacks))
      .concat(differences('journal', first.journal, second.journal))
      .concat(differences('payments', first.payments, second.payments))
  } finally {
    await receiver.close()
  }
}

function differences (what: string, first: string[], second: string[]): string[] {
  const length = Math.max(first.length, second.length)
  if (length === 0) return [`${what}: there are none, so nothing was compared`]
  return Array.from({ length }, (_, n) => n)
    .filter((n) => first[n] !== second[n])
    .map((n) => `${what} ${n}:\n  ${first[n] ?? 'nothing'}\n  ${second[n] ?? 'nothing'}`)
}

async function recordRun (
  options: DeterminismOptions,
  port: number,
  receiver: string,
  arrivals: Arrival[]
): Promise<Transcript> {
  const { seed, parallel, signed } = options
  const folder = mkdtempSync(join(tmpdir(), 'momock-determinism-'))
  const server = await startServer({
    db: join(folder, 'ledger.db'),
    args: ['--port', String(port), '--seed', `seed ${seed}`, '--clock', 'frozen']
  })
  const agent = new Agent({ keepAlive: true })
  try {
    const client = server.as('test-token')
    await client.setClock({ mode: 'frozen', now: startOfTime })
    const urls = callbackKinds.map((kind) => [kind, `${receiver}/${kind}`])
    await client.configure({ callbacks: Object.fromEntries(urls), signedCallbacks: signed })
    const answers: string[] = []
    for (const [n, group] of groupsOfCalls(seed).entries()) {
      if (parallel) {
        answers.push(...(await Promise.all(group.map((call) => send(port, agent, call)))))
      } else for (const call of group) answers.push(await send(port, agent, call))
      await client.advance(advances[n % advances.length])
    }
    return await readBack(server, answers, arrivals, parallel)
  } finally {
    agent.destroy()
    await server.stop('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function readBack (
  server: Running,
  answers: string[],
  arrivals: readonly Arrival[],
  parallel: boolean
): Promise<Transcript> {
  const client = server.as('test-token')
  const [payments, journal] = [await client.payments(), await client.requests()]
  const entries = journal.map((entry) =>
    JSON.stringify(entry, (key, value) => {
      // The order of arrival is that of the network.
      return timesOfMachine.has(key) || (parallel && key === 'id' && isNumber(value)) ? 0 : value
    })
  )
  const listed = payments.map((payment) => JSON.stringify(payment))
  return {
    answers,
    callbacks: arrivals.map(describe).sort(),
    journal: parallel ? entries.sort() : entries,
    payments: parallel ? listed.sort() : listed
  }
}

const timesOfMachine = new Set(['loggedDate', 'loggedDateString', 'durationMs'])
const isNumber = (value: unknown): boolean => typeof value === 'number'

/** A callback with its headers. A signature is random, and made at a time of the machine. */
function describe ({ url, headers, text }: Arrival): string {
  const lines = Object.entries(headers).map(([name, value]) => {
    const shown = String(value).replace(/created=\d+;expires=\d+/, 'created=0;expires=0')
    return `${name}: ${name === 'signature' || name === 'signature-date' ? 'masked' : shown}`
  })
  return [url, ...lines, text].join(' | ')
}

const notOurs = new Set(['date', 'connection', 'keep-alive'])

/** One request; the answer as one line, with every header but those of the connection. */
function send (port: number, agent: Agent, call: Call): Promise<string> {
  const { method, path, body, scenario } = call
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: 'Bearer test-token',
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body))
      }),
      ...(scenario !== undefined && { 'x-momock-scenario': scenario })
    }
    const sent = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        const shown = Object.entries(response.headers).filter(([name]) => !notOurs.has(name))
        const lines = shown.map(([name, value]) => `${name}: ${String(value)}`)
        const line = [`${method} ${path}`, response.statusCode, ...lines, text].join(' | ')
        resolve(line)
      })
    })
    sent.on('error', reject).end(body)
  })
}
