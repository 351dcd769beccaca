import type { Logger } from 'pino'
import type { Agent } from 'undici'
import type { OtherServer, ServerList } from '../domain/server-list.ts'
import { machineTime, systemClock } from '../lib/clock.ts'
import { checkServerToken, makeServerToken } from '../security/server-token.ts'
import { answerTo, beatMs, PeerListener, proofHeader, tokenMs } from './peer-listener.ts'
import type { PeerAddress, PeerOffers, PeerReply } from './peer-listener.ts'

/** Answer of a server. */
export interface PeerAnswer<T> {
  server: number
  value: T
  /** Time of the server minus the time of this one, in milliseconds. */
  aheadMs: number
}

/** Call with which a server says that it is there. */
const greeting = 'greet'
/** Time that another server has to answer. */
const timeoutMs = 2000
/** Time without a line after which a feed counts as lost. */
const silenceMs = 3 * beatMs

/** Whoever has taken the port of a server that is gone cannot prove its answers. */
const notProved = new Error('another program answers in its place')

/** What a server offers to others, and what it does when it joins and leaves them. */
export interface PeerLife extends PeerOffers {
  /** Learns what has happened while the server did not count. */
  catchUp: () => Promise<void>
  /** Called before the server leaves. */
  leave: () => Promise<void>
}

/** Part that follows the list of servers. */
interface RefreshedPart {
  refresh: () => Promise<void>
}

/** Parts that the peers need. */
export interface PeerParts {
  servers: ServerList
  log: Logger
}

/**
 * The other servers that share the ledger. Each server has a listener for them. A server that does
 * not answer in time is left out, so that one dead server does not stop the others.
 */
export class Peers {
  readonly #servers: ServerList
  readonly #log: Logger
  readonly #listener: PeerListener
  /** Servers whose silence is in the log. */
  readonly #silent = new Set<number>()
  readonly #parts: RefreshedPart[] = []
  #known: OtherServer[] = []
  #agent: Promise<Agent> | undefined
  #renewal: NodeJS.Timeout | undefined
  #life: PeerLife | undefined
  #isClosed = false

  private constructor ({ servers, log }: PeerParts) {
    this.#servers = servers
    this.#log = log
    this.#listener = new PeerListener(servers)
  }

  /**
   * Opens the listener and adds this server to the list. Throws a LedgerUnusableError if the others
   * have another version.
   */
  static async join (parts: PeerParts, address: PeerAddress): Promise<Peers> {
    const peers = new Peers(parts)
    const url = await peers.#listener.listen(address)
    try {
      await parts.servers.join(url)
    } catch (error) {
      await peers.#listener.close()
      throw error
    }
    peers.#renewal = setInterval(() => {
      // The ledger itself reports once that it cannot be reached.
      peers.#renew().catch(() => {})
    }, parts.servers.renewalMs).unref()
    return peers
  }

  async #renew (): Promise<void> {
    const hasCountedAsDead = await this.#servers.renew()
    await this.#refreshParts()
    if (hasCountedAsDead) await this.#life?.catchUp()
  }

  /** Number of this server. */
  get number (): number {
    return this.#servers.number
  }

  /** Answers the others from now on. */
  offer (life: PeerLife): void {
    const { answer, follow } = life
    this.#life = life
    this.#listener.offer({
      answer: (name, input) => (name === greeting ? this.#refreshParts() : answer(name, input)),
      follow
    })
  }

  /** Adds a part that is refreshed when servers join, and every few seconds. */
  addPart (part: RefreshedPart): void {
    this.#parts.push(part)
  }

  async #refreshParts (): Promise<void> {
    await Promise.all(this.#parts.map((part) => part.refresh()))
  }

  /** Returns the other servers: the last known ones while the ledger cannot be reached. */
  async list (): Promise<OtherServer[]> {
    if (this.#isClosed) return []
    try {
      this.#known = await this.#servers.listOthers()
    } catch {}
    return this.#known
  }

  /** Makes a call on all other servers at the same time. */
  async askAll<T>(name: string, input: object): Promise<Array<PeerAnswer<T>>> {
    const others = await this.list()
    const asked = await Promise.all(others.map((server) => this.ask<T>(server, name, input)))
    return asked.filter((answer) => answer !== undefined)
  }

  /** Makes a call on all other servers at the same time. Returns those that do not answer. */
  async tellAll (name: string, input: object): Promise<OtherServer[]> {
    const others = await this.list()
    const asked = await Promise.all(others.map((server) => this.ask(server, name, input)))
    return others.filter((_, i) => asked[i] === undefined)
  }

  /** Makes a call on another server. Returns undefined if it does not answer. */
  async ask<T>(
    server: OtherServer,
    name: string,
    input: object
  ): Promise<PeerAnswer<T> | undefined> {
    try {
      const sent = machineTime()
      const { body, proof } = await this.#post(server, `/call/${name}`, input, timeoutMs)
      const text = await body.text()
      if (!proof.isFor(text)) throw notProved
      const { value, now }: PeerReply & { value: T } = JSON.parse(text)
      this.#silent.delete(server.number)
      return { server: server.number, value, aheadMs: compareClocks(sent, now, machineTime()) }
    } catch (error) {
      this.#reportSilence(server, error)
      return undefined
    }
  }

  /**
   * Follows a feed of another server until the signal. Resolves when the feed has begun, with a
   * promise of its end.
   */
  async follow (
    server: OtherServer,
    feed: string,
    receive: (line: string) => void,
    end: AbortSignal
  ): Promise<{ ended: Promise<void> }> {
    const { createInterface } = await import('node:readline')
    const { body } = await this.#post(server, `/feed/${feed}`, {}, silenceMs, end)
    const read = async (): Promise<void> => {
      for await (const line of createInterface({ input: body })) if (line !== '') receive(line)
    }
    return { ended: read().catch(() => {}) }
  }

  /** Tells the other servers that this one is there, and catches up with them. */
  async greet (): Promise<void> {
    await Promise.all([this.askAll(greeting, {}), this.#life?.catchUp()])
  }

  /**
   * Removes this server from the list, and sends the others the last lines of its feeds. They do
   * not ask it any more.
   */
  async leave (): Promise<void> {
    await this.#life?.leave()
    this.#isClosed = true
    clearInterval(this.#renewal)
    // Without the ledger, the others notice it after a while.
    await this.#servers.leave().catch(() => {})
    await this.#listener.close()
    await (await this.#agent)?.destroy()
  }

  async #post (
    { url, number }: OtherServer,
    path: string,
    input: object,
    bodyTimeout: number,
    signal?: AbortSignal
  ) {
    const { Agent, request } = await import('undici')
    const dispatcher = await (this.#agent ??= Promise.resolve(
      new Agent({ connect: { timeout: timeoutMs } })
    ))
    const { secret } = this.#servers
    const text = JSON.stringify(input)
    const purpose = { server: number, method: 'POST', path }
    const token = makeServerToken(secret, purpose, text, systemClock.now())
    const answer = await request(url + path, {
      dispatcher,
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: text,
      headersTimeout: timeoutMs,
      bodyTimeout,
      signal
    })
    if (answer.statusCode === 200) {
      const given = String(answer.headers[proofHeader])
      const time = { now: systemClock.now(), lifetimeMs: tokenMs }
      const proof = checkServerToken(secret, answerTo(number, token), given, time)
      if (proof !== undefined) return { body: answer.body, proof }
      answer.body.on('error', () => {}).destroy()
      throw notProved
    }
    throw new Error(`status ${answer.statusCode}: ${(await answer.body.text()).slice(0, 200)}`)
  }

  #reportSilence ({ number, url }: OtherServer, error: unknown): void {
    if (this.#isClosed || this.#silent.has(number)) return
    this.#silent.add(number)
    const reason = error instanceof Error ? error.message : String(error)
    this.#log.warn(
      `server ${number} (${url}) does not answer (${reason}); admin calls leave out its part ` +
        'until it answers again'
    )
  }
}

/** Compares two clocks. A difference that the duration of the call explains is none. */
function compareClocks (sent: number, now: number, received: number): number {
  const aheadMs = now - (sent + received) / 2
  return Math.abs(aheadMs) <= (received - sent) / 2 ? 0 : aheadMs
}
