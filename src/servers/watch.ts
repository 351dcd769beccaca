import type { Logger } from 'pino'
import { Agent, request } from 'undici'
import type { Look, OtherServer, ServerList } from '../ports/server-list.ts'
import { proofHeader, tokenHeader, type ServerMessages } from './server-messages.ts'

/** Time between two looks at the ledger, without the random part. */
const lookMs = 1200
const jitterMs = 200
/** Time that a server has to answer. */
const timeoutMs = 2000
/** Looks between two probes of the same server. */
const looksBetweenProbes = 2
/** Probes without an answer after which a server is ended, and one that still uses the ledger. */
const mostSilences = 2
const mostSilencesOfBusy = 6

/** Parts that the watch needs. */
export interface WatchParts {
  servers: ServerList
  messages: ServerMessages
  log: Logger
  /** Takes accounts that no server has. */
  adopt: (accounts: readonly number[]) => Promise<void>
  /** Returns a number from 0 to 1: servers must not look at the same moment for ever. */
  random: () => number
  /** Called with the time of the ledger. */
  setTime: (now: number) => void
}

/**
 * Watches the other servers of the ledger, and takes the accounts that nobody has. A server whose
 * session has ended is gone at once. One that holds its session and does not answer is ended in the
 * ledger first: it cannot write any more, and others can have its accounts. One that is only busy
 * uses its session, and gets more time.
 */
export class Watch {
  readonly #parts: WatchParts
  // Each probe has a connection of its own: an old one may be forgotten by the network.
  readonly #agent = new Agent({ connect: { timeout: timeoutMs }, pipelining: 0 })

  /** Probes that a server has not answered, one after the other. */
  readonly #silences = new Map<number, number>()
  readonly #ended = new Set<number>()
  readonly #listeners = new Map<number, Set<() => void>>()
  #looks = 0
  #timer: NodeJS.Timeout | undefined
  #underWay: Promise<void> = Promise.resolve()
  #adopting: Promise<void> | undefined
  #isStopped = false

  constructor (parts: WatchParts) {
    this.#parts = parts
  }

  /** Takes what nobody has, and begins to watch. */
  async start (): Promise<void> {
    await this.#look()
    await this.#adopting
    this.#watch()
  }

  #watch (): void {
    if (this.#isStopped) return
    const { random } = this.#parts
    this.#timer = setTimeout(() => {
      // The ledger itself reports once that it cannot be reached.
      this.#underWay = this.#look()
        .catch(() => {})
        .finally(() => this.#watch())
    }, lookMs + random() * jitterMs).unref()
  }

  async stop (): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await this.#underWay
    await this.#adopting
    await this.#agent.destroy()
  }

  /** Calls a function when a server is ended, until the returned function is called. */
  onEnd (server: number, listener: () => void): () => void {
    const listeners = this.#listeners.get(server) ?? new Set()
    this.#listeners.set(server, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) this.#listeners.delete(server)
    }
  }

  /** Ends a server that cannot be reached, and tells those who wait for it. */
  async end ({ number, url }: OtherServer, reason: string): Promise<void> {
    if (this.#ended.has(number)) return
    this.#ended.add(number)
    this.#parts.log.warn(
      `server ${number} (${url}) does not answer (${reason}), so its accounts are taken over; if ` +
        'it runs, the others cannot reach it there: see --peer-host'
    )
    try {
      await this.#parts.servers.end(number)
    } catch (error) {
      this.#ended.delete(number)
      throw error
    }
    for (const listener of this.#listeners.get(number) ?? []) listener()
  }

  async #look (): Promise<void> {
    const { servers, adopt, setTime } = this.#parts
    const { now, orphans, others }: Look = await servers.look()
    setTime(now)
    for (const number of this.#silences.keys()) {
      if (!others.some((other) => other.number === number)) this.#silences.delete(number)
    }
    if (this.#looks++ % looksBetweenProbes === 0) {
      for (const other of others) this.#probe(other).catch(() => {})
    }
    // A long one must not delay the next look.
    this.#adopting ??= adopt(orphans).finally(() => (this.#adopting = undefined))
  }

  async #probe (server: OtherServer): Promise<void> {
    const { number, url, isLeaving } = server
    // It does not listen yet, or not any more.
    if (url === null || isLeaving) return
    try {
      await this.#call(number, url)
      this.#silences.delete(number)
    } catch (error) {
      if (this.#isStopped) return
      const silences = (this.#silences.get(number) ?? 0) + 1
      this.#silences.set(number, silences)
      if (silences < mostSilences) return
      // Under load an answer can take seconds. What it has taken is worth the wait.
      const canWait = silences < mostSilencesOfBusy
      if (canWait && (await this.#parts.servers.isWorking(number))) return
      await this.end(server, (error as Error).message)
    }
  }

  async #call (number: number, url: string): Promise<void> {
    const { messages } = this.#parts
    const token = messages.sign(number)
    const { headers, body } = await request(`${url}/`, {
      dispatcher: this.#agent,
      method: 'HEAD',
      headers: { [tokenHeader]: token },
      headersTimeout: timeoutMs
    })
    await body.dump()
    if (!messages.isProved(number, token, headers[proofHeader])) {
      throw new Error('another program answers in its place')
    }
  }
}
