import type { Logger } from 'pino'
import type { Agent } from 'undici'
import type { Accounts } from '../src/accounts.ts'
import type { Machine } from '../src/clock.ts'
import { timeOn } from '../src/clock.ts'
import type { Attempt, Delivery, Lane, Outbox } from '../src/domain/ports.ts'
import type { Keys } from '../src/security/keys.ts'
import { signedRequest } from '../src/security/signature.ts'
import { isAcknowledged, verdictOn } from './retries.ts'

const contentType = 'application/json; charset=UTF-8'
/** How long a receiver has to answer. */
const timeoutMs = 10_000
/** At most this much of an answer is read, in bytes. */
const answerLimit = 2048
/** At most this many callbacks are on their way to one place, and this many in all. */
const perLane = 32
const inAll = 256
/** When the server stops, callbacks on their way have this long; the rest go out after the next start. */
const graceMs = 1500

/** A callback on its way, and the way to cut it off. */
interface Flight {
  delivery: Delivery
  cut: AbortController
}

/** Delivers callbacks from the outbox, out of band: never inside a request, and no receiver waits for another. */
export class Courier {
  readonly #outbox: Outbox
  readonly #accounts: Accounts
  readonly #keys: Keys
  readonly #machine: Machine
  readonly #log: Logger
  readonly #underWay = new Map<number, number>()
  readonly #flights = new Map<Promise<void>, Flight>()
  readonly #held = new Set<number>()
  readonly #stop = new AbortController()
  #waiting: Array<() => void> = []
  #client: Promise<{ undici: typeof import('undici'), agent: Agent }> | undefined

  constructor (outbox: Outbox, accounts: Accounts, keys: Keys, machine: Machine, log: Logger) {
    this.#outbox = outbox
    this.#accounts = accounts
    this.#keys = keys
    this.#machine = machine
    this.#log = log
  }

  /** Sends off what is due in a lane, as far as there is room, and does not wait for the answers; says how many that were. */
  async deliver (lane: Lane, now: number): Promise<number> {
    const room = await this.#room(lane)
    if (this.#stop.signal.aborted || this.#held.has(lane.account)) return 0
    const deliveries = await this.#outbox.take(lane, now, room)
    for (const delivery of deliveries) this.#launch(delivery)
    return deliveries.length
  }

  /** Waits for the callbacks of an account that are on their way. */
  async settled (account: number): Promise<void> {
    await Promise.all([...this.#flights].filter(([, { delivery }]) => delivery.account === account).map(([flight]) => flight))
  }

  /** Sends off nothing more for an account until it is let go; what waits for room does not wait any longer. */
  hold (account: number): void {
    this.#held.add(account)
    this.#release()
  }

  letGo (account: number): void {
    this.#held.delete(account)
  }

  /** Cuts off the callbacks of an account that are on their way: whatever comes of them is not recorded any more. */
  abandon (account: number): void {
    for (const { delivery, cut } of this.#flights.values()) if (delivery.account === account) cut.abort()
  }

  /** The callbacks of an account that were cut off are to be sent after all. */
  takeUp (account: number): Promise<void> {
    return this.#outbox.recover(account)
  }

  /** Waits a moment for the callbacks on their way. */
  async close (): Promise<void> {
    const deadline = setTimeout(() => this.#stop.abort(), graceMs)
    await Promise.all(this.#flights.keys())
    clearTimeout(deadline)
    this.#stop.abort()
    this.#release()
    await (await this.#client)?.agent.destroy()
  }

  async #room ({ account, lane }: Lane): Promise<number> {
    for (;;) {
      const room = Math.min(perLane - (this.#underWay.get(lane) ?? 0), inAll - this.#flights.size)
      if (room > 0 || this.#stop.signal.aborted || this.#held.has(account)) return room
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
  }

  #launch (delivery: Delivery): void {
    const { lane } = delivery
    const cut = new AbortController()
    this.#underWay.set(lane, (this.#underWay.get(lane) ?? 0) + 1)
    const flight = this.#fly(delivery, cut.signal)
      .catch((error: unknown) => this.#log.error({ err: error, callback: delivery.seq }, 'a callback attempt could not be recorded'))
      .finally(() => {
        const left = (this.#underWay.get(lane) ?? 1) - 1
        if (left === 0) this.#underWay.delete(lane)
        else this.#underWay.set(lane, left)
        this.#flights.delete(flight)
        this.#release()
      })
    this.#flights.set(flight, { delivery, cut })
  }

  #release (): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  async #fly (delivery: Delivery, cut: AbortSignal): Promise<void> {
    const started = this.#machine.now()
    const at = timeOn(this.#accounts.byId(delivery.account).clock, started)
    const answer = await this.#post(delivery, cut)
    // What it was about may be gone, or be as it was before.
    if (cut.aborted) return
    // Cut off by our own end: it counts as not tried, and goes out again after the next start.
    if (this.#stop.signal.aborted && answer.status === undefined) return
    const attempt: Attempt = { at, durationMs: this.#machine.now() - started, ...answer }
    const verdict = verdictOn(delivery, attempt)
    const line = { callback: delivery.seq, url: delivery.url.replace(/\/\/[^/@]*@/, '//'), attempt: delivery.attempts + 1, ...answer, state: verdict.state }
    if (isAcknowledged(attempt)) this.#log.debug(line, 'callback acknowledged')
    else this.#log.warn(line, verdict.state === 'PENDING' ? 'callback not acknowledged, it will be tried again' : 'callback not acknowledged, given up; it can be resent')
    await this.#outbox.attempted(delivery, attempt, verdict)
  }

  async #post (delivery: Delivery, cut: AbortSignal): Promise<Pick<Attempt, 'status' | 'error'>> {
    const { undici, agent } = await (this.#client ??= openClient())
    const late = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await undici.request(delivery.url, {
        method: 'POST',
        headers: this.#headers(delivery),
        body: delivery.body,
        dispatcher: agent,
        signal: AbortSignal.any([late, cut, this.#stop.signal])
      })
      // The status decides. The rest is read only so that the connection can be used again, and it may have no end.
      await answer.body.dump({ limit: answerLimit }).catch(() => {})
      return { status: answer.statusCode }
    } catch (error) {
      return { error: late.aborted ? `no answer within ${timeoutMs / 1000} s` : reason(error as NodeJS.ErrnoException) }
    }
  }

  /** Signed anew at every attempt: a signature counts for a minute of the machine's time, whatever the account's clock shows. */
  #headers ({ account, url, body }: Delivery): Record<string, string> {
    const { signedCallbacks = true, signatureEncoding = 'der' } = this.#accounts.byId(account).settings
    if (!signedCallbacks) return { 'content-type': contentType }
    return signedRequest('POST', url, contentType, body, { key: this.#keys.signing, now: this.#machine.now(), encoding: signatureEncoding })
  }
}

/** The HTTP client is loaded with the first callback: a start should not wait for it. */
async function openClient (): Promise<{ undici: typeof import('undici'), agent: Agent }> {
  const undici = await import('undici')
  return { undici, agent: new undici.Agent({ connections: perLane, pipelining: 1, connect: { timeout: timeoutMs } }) }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset by the receiver',
  UND_ERR_SOCKET: 'connection closed by the receiver before it answered',
  ENOTFOUND: 'host name not found',
  EAI_AGAIN: 'host name could not be looked up',
  UND_ERR_CONNECT_TIMEOUT: 'could not connect in time'
}

function reason (error: NodeJS.ErrnoException): string {
  const code = error.code ?? ''
  return `${reasons[code] ?? error.message}${code === '' ? '' : ` (${code})`}`
}
