import { randomUUID } from 'node:crypto'
import type autocannon from 'autocannon'
import { Counter, type Figures, type Second } from './figures.ts'
import { kinds, type Kind } from './mix.ts'

/** Fires the mix at a mock, over many connections. */

export interface Target {
  url: string
  token: string
}

export interface Plan extends Target {
  round: readonly Kind[]
  /** Requests per second; 0 for as many as it can. */
  rate: number
  seconds: number
  connections: number
}

/** How many payments are remembered, for duplicates and checks of them. */
const remembered = 1000
/** An answer that takes longer counts as none, in seconds. */
const patienceSeconds = 10
/** So many errors of connections, and it ends: the mock is gone. */
const hopeless = 1000

/** Runs a plan, telling each second; `stop` ends it early. */
export async function fire (plan: Plan, tell: (second: Second) => void, stop: AbortSignal): Promise<Figures> {
  const { default: cannon } = await import('autocannon')
  const counter = new Counter()
  const accepted: string[] = []
  let sent = 0

  /** The next request of the round; an initiation as long as there is nothing to repeat or to look at. */
  const next = (): { kind: Kind, id: string } => {
    const kind = plan.round[sent++ % plan.round.length]
    const known = accepted[sent % accepted.length]
    return kinds[kind].needs === undefined || known === undefined ? { kind: 'initiations', id: randomUUID() } : { kind, id: known }
  }

  /** Gives a connection its requests, one when the one before is answered, and judges what comes back. */
  const setupClient = (client: autocannon.Client): void => {
    let asked: ReturnType<typeof next> = { kind: 'initiations', id: '' }
    let wrong: string | undefined
    client.setRequests([{
      setupRequest: (request) => {
        asked = next()
        return { ...request, ...requestFor(asked.kind, asked.id, plan) }
      },
      onResponse: (status, body) => {
        wrong = status === 200 && body.includes(kinds[asked.kind].right) ? undefined : `${status} ${body}`
        if (wrong === undefined && asked.kind === 'initiations') accepted[accepted.length < remembered ? accepted.length : sent % remembered] = asked.id
      }
    }])
    client.on('response', (_status: number, _bytes: number, milliseconds: number) => counter.answer(asked.kind, milliseconds, wrong))
  }

  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = cannon({
      url: plan.url,
      // A connection without a share of the rate would know no limit.
      connections: plan.rate > 0 ? Math.min(plan.connections, plan.rate) : plan.connections,
      duration: plan.seconds,
      timeout: patienceSeconds,
      sampleInt: 100,
      bailout: hopeless,
      ...(plan.rate > 0 && { overallRate: plan.rate, ignoreCoordinatedOmission: true }),
      setupClient
    }, (error, result) => error == null ? resolve(result) : reject(error))
    // What comes after the last whole second counts, but is no second of its own.
    let seconds = 0
    run.on('tick', () => { if (seconds++ < plan.seconds) tell(counter.lap()) })
    stop.addEventListener('abort', () => run.stop())
  })
  return counter.figures(result.duration, result.errors - result.timeouts, result.timeouts)
}

function requestFor (kind: Kind, id: string, { url, token }: Target): autocannon.Request {
  const authorization = `Bearer ${token}`
  const path = `${new URL(url).pathname.replace(/\/$/, '')}/v2/deposits`
  if (kind === 'checks') return { method: 'GET', path: `${path}/${id}`, headers: { authorization } }
  const body = JSON.stringify({ depositId: id, amount: '15', currency: 'ZMW', payer: { type: 'MMO', accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' } } })
  return { method: 'POST', path, headers: { authorization, 'content-type': 'application/json' }, body }
}
