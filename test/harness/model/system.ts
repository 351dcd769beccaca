import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MomockClient } from '../../../src/index.ts'
import { openReceiver, type Receiver } from '../../support/receiver.ts'
import { freePort } from '../../support/ports.ts'
import { startServer, type Answer, type Running } from '../../support/server-process.ts'
import { startOfTime } from './state.ts'

/** The real server, and one account of it for each run of commands. */
export interface System {
  token: string
  receiver: Receiver
  client: () => MomockClient
  call: <Body>(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>
  ) => Promise<Answer<Body>>
  restart: (signal: NodeJS.Signals) => Promise<void>
  /** Payments of this account in the metrics, by kind and status. */
  metrics: () => Promise<Record<string, number>>
  /** Callbacks go to the receiver; a reset forgets that. */
  configure: () => Promise<void>
}

/** Payments of a kind in a status. */
export interface Count {
  kind: string
  status: string
  count: number
}

export interface Laboratory {
  /** A system with an account that nobody has used. */
  newSystem: () => Promise<System>
  close: () => Promise<void>
}

const callbackKinds = [
  'deposits',
  'payouts',
  'refunds',
  'remittances',
  'splitPayments',
  'checkouts'
]

/** Starts one server for many runs. */
export async function openLaboratory (): Promise<Laboratory> {
  const folder = mkdtempSync(join(tmpdir(), 'momock-model-'))
  const receiver = await openReceiver()
  const port = await freePort()
  const start = (): Promise<Running> =>
    startServer({
      db: join(folder, 'ledger.db'),
      args: ['--port', String(port), '--clock', 'frozen']
    })
  let server = await start()
  let accounts = 0
  let last: string | undefined
  /** Payments of the runs before, whose clocks stand still. */
  const earlier: Record<string, number> = {}

  const newSystem = async (): Promise<System> => {
    if (last !== undefined) {
      const { counts } = await server.as(last).paymentCounts()
      for (const { kind, status, count } of counts) {
        const key = `${kind} ${status}`
        earlier[key] = (earlier[key] ?? 0) + count
      }
    }
    const token = `sandbox-model-${++accounts}`
    const client = (): MomockClient => server.as(token)
    const configure = async (): Promise<void> => {
      const urls = callbackKinds.map((kind) => [kind, `${receiver.url}/${token}`])
      await client().configure({ callbacks: Object.fromEntries(urls) })
    }
    await client().setClock({ mode: 'frozen', now: new Date(startOfTime).toISOString() })
    await configure()
    const before = { ...earlier }
    last = token
    return {
      metrics: async () => {
        const all = Object.entries(await readPaymentMetrics(server.url, token))
        const own = all.map(([key, count]): [string, number] => [key, count - (before[key] ?? 0)])
        return Object.fromEntries(own.filter(([, count]) => count !== 0))
      },
      token,
      receiver,
      client,
      configure,
      call: (method, path, body, headers = {}) => {
        return server.call(method, path, body, { token, headers })
      },
      restart: async (signal) => {
        await server.stop(signal)
        server = await start()
      }
    }
  }
  return {
    newSystem,
    close: async () => {
      await server.stop('SIGKILL')
      await receiver.close()
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Reads how many payments the metrics of the whole server count, by kind and status. */
async function readPaymentMetrics (url: string, token: string): Promise<Record<string, number>> {
  const headers = { authorization: `Bearer ${token}` }
  const text = await (await fetch(`${url}/__admin/metrics`, { headers })).text()
  const samples = text.matchAll(/^momock_payments\{(.*)\} (\d+)$/gm)
  return Object.fromEntries(
    [...samples].map(([, labels, count]) => {
      const [kind, status] = ['kind', 'status'].map(
        (name) => new RegExp(`\\b${name}="(\\w+)"`).exec(labels)?.[1]
      )
      return [`${kind} ${status}`, Number(count)]
    })
  )
}
