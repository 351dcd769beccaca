import type { Random } from '../../support/random.ts'
import {
  bodyOf,
  customer,
  failingCustomer,
  kindNames,
  kinds,
  pathOf
} from '../../support/bodies.ts'
import type { Body, Kind, Version } from '../../support/bodies.ts'
import type { Running } from '../../support/server-process.ts'

/** Mixed traffic of all kinds in both versions, and a log of what the client was answered. */

/** A payment as the client knows it. */
export interface Logged {
  token: string
  kind: Kind
  version: Version
  id: string
  body: Body
  /** `sent` means that no answer came: the payment may exist or not. */
  outcome: 'sent' | 'accepted' | 'refused'
  created?: string
  /** The record as it was when it was first seen in a final status. */
  final?: Rec
  /** Where the customer of a checkout pays. */
  page?: string
}

/** The parts of a record the harness looks at. */
export interface Rec {
  status: string
  amount?: string
  created?: string
}

interface Initiation {
  status: string
  created?: string
  redirectUrl?: string
}

export interface Found {
  status: string
  data: Rec
}

export interface ClientLog {
  payments: Logged[]
  /** What no answer may say, whatever happens to the server. */
  problems: string[]
}

export const tokens: readonly string[] = ['test-token', 'sandbox-crash-1', 'sandbox-crash-2']
const finalStatuses = ['COMPLETED', 'FAILED', 'PAYOUT_FAILED', 'EXPIRED', 'CANCELLED']
/** Scenarios that end soon, and one that has a first try fail. */
const scenarios = ['happy-path', 'unknown-payer', 'error-then-success', 'insufficient-balance']

export function isFinal (status: string): boolean {
  return finalStatuses.includes(status)
}

/** How many of these payments were accepted. */
export function acceptedIn (payments: readonly Logged[]): number {
  return payments.filter(({ outcome }) => outcome === 'accepted').length
}

/** Sends requests on so many connections until it is stopped; the log says what came of them. */
export function sendTraffic (
  server: Running,
  random: Random,
  log: ClientLog,
  connections = 24
): { stop: () => Promise<void> } {
  const traffic = { server, random, log, stopped: false }
  const workers = Array.from({ length: connections }, async () => {
    while (!traffic.stopped) await sendOne(traffic)
  })
  return {
    stop: async () => {
      traffic.stopped = true
      await Promise.all(workers)
    }
  }
}

interface Traffic {
  server: Running
  random: Random
  log: ClientLog
  stopped: boolean
}

async function sendOne (traffic: Traffic): Promise<void> {
  const { random, log } = traffic
  const known = log.payments.length === 0 ? undefined : random.pick(log.payments.slice(-200))
  const dice = random.next()
  try {
    if (known === undefined || dice < 0.5) await initiateAny(traffic)
    else if (dice < 0.6) await repeat(traffic, known)
    else if (dice < 0.85) await look(traffic, known)
    else if (dice < 0.9) await bulk(traffic)
    else if (dice < 0.93) await resend(traffic, known)
    else if (known.kind === 'checkout') await payCheckout(traffic, known)
    else if (known.kind === 'deposit') await refund(traffic, known)
  } catch {
    // The server was killed. A moment, so that a dead server is not hammered.
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function initiateAny (traffic: Traffic): Promise<void> {
  const { random } = traffic
  const kind = random.pick(kindNames.filter((kind) => kind !== 'refund'))
  await initiate(traffic, draft(traffic, kind, random.pick(tokens)))
}

function draft ({ random }: Traffic, kind: Kind, token: string, depositId?: string): Logged {
  const version = random.pick(kinds[kind].versions)
  const id = random.uuid()
  const body = bodyOf(kind, version, {
    id,
    amount: String(random.integer(10, 500)),
    phoneNumber: random.chance(0.2) ? failingCustomer : customer,
    payoutIds: [random.uuid(), random.uuid()],
    ...(depositId !== undefined && { depositId, amount: '5' })
  })
  return { token, kind, version, id, body, outcome: 'sent' }
}

async function initiate (traffic: Traffic, payment: Logged): Promise<void> {
  const { server, random, log } = traffic
  const { kind, version, token, body } = payment
  log.payments.push(payment)
  const scripted = kind !== 'checkout' && random.chance(0.1)
  const { status, body: answer } = await server.call<Initiation>(
    'POST',
    pathOf(kind, version),
    body,
    { token, headers: scripted ? { 'x-momock-scenario': random.pick(scenarios) } : {} }
  )
  if (status === 200) settle(payment, answer)
  else {
    payment.outcome = 'refused'
    if (!scripted && !traffic.stopped) {
      log.problems.push(`${kind} ${payment.id} was answered with ${status}`)
    }
  }
}

function settle (payment: Logged, answer: Initiation): void {
  const accepted = answer.status === 'ACCEPTED' || answer.status === 'ENQUEUED'
  payment.outcome = accepted ? 'accepted' : 'refused'
  payment.created = answer.created
  if (answer.redirectUrl !== undefined) payment.page = new URL(answer.redirectUrl).pathname
}

async function bulk (traffic: Traffic): Promise<void> {
  const { server, random, log } = traffic
  const kind = random.pick<Kind>(['payout', 'remittance'])
  const token = random.pick(tokens)
  const list = Array.from({ length: random.integer(1, 20) }, () => draft(traffic, kind, token))
  const same = list.filter(({ version }) => version === list[0].version)
  log.payments.push(...same)
  const { body: answers } = await server.call<Initiation[]>(
    'POST',
    `${pathOf(kind, same[0].version)}/bulk`,
    same.map(({ body }) => body),
    { token }
  )
  if (Array.isArray(answers)) for (const [n, answer] of answers.entries()) settle(same[n], answer)
}

/** A repeat must be ignored and say when the first came, if that was accepted. */
export async function repeat (
  { server, log }: Pick<Traffic, 'server' | 'log'>,
  payment: Logged
): Promise<void> {
  if (payment.outcome !== 'accepted') return
  const { kind, version, token, id, body, created } = payment
  const answer = await server.call<Initiation>('POST', pathOf(kind, version), body, { token })
  const { status } = answer.body
  if (status !== 'DUPLICATE_IGNORED' || answer.body.created !== created) {
    log.problems.push(
      `a repeat of ${kind} ${id}, accepted at ${created}, was answered with ` +
        JSON.stringify(answer.body)
    )
  }
}

/** A status check must find what was accepted, and find it unchanged once it was final. */
export async function look (
  { server, log }: Pick<Traffic, 'server' | 'log'>,
  payment: Logged
): Promise<Rec | undefined> {
  if (payment.outcome !== 'accepted') return undefined
  const { kind, token, id } = payment
  const path = `${pathOf(kind, 'v2')}/${id}`
  const { body } = await server.call<Found>('GET', path, undefined, { token })
  if (body.status !== 'FOUND') {
    log.problems.push(`${kind} ${id} was accepted and is ${JSON.stringify(body)}`)
    return undefined
  }
  const { data } = body
  if (payment.final !== undefined && JSON.stringify(data) !== JSON.stringify(payment.final)) {
    log.problems.push(
      `${kind} ${id} was ${JSON.stringify(payment.final)} and is now ` + JSON.stringify(data)
    )
  }
  if (kind !== 'checkout' && Number(data.amount) !== Number(payment.body.amount)) {
    const { amount } = payment.body
    log.problems.push(`${kind} ${id} was sent with ${String(amount)} and has ${data.amount}`)
  }
  if (isFinal(data.status)) payment.final ??= data
  return data
}

async function refund (traffic: Traffic, deposit: Logged): Promise<void> {
  if (deposit.final?.status === 'COMPLETED') {
    await initiate(traffic, draft(traffic, 'refund', deposit.token, deposit.id))
  }
}

async function resend ({ server }: Traffic, { kind, token, id, outcome }: Logged): Promise<void> {
  if (outcome !== 'accepted' || kind === 'checkout' || kind === 'splitPayment') return
  await server.call('POST', `${pathOf(kind, 'v2')}/resend-callback/${id}`, undefined, { token })
}

async function payCheckout ({ server }: Traffic, { page, final }: Logged): Promise<void> {
  if (page === undefined || final !== undefined) return
  await server.call('POST', `${page}/attempts`, {
    country: 'ZMB',
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: customer,
    currency: 'ZMW'
  })
}
