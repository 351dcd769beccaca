import { setTimeout as sleep } from 'node:timers/promises'
import { stopwatch } from '../lib/clock.ts'
import { AccountMovedError, LedgerUnusableError } from '../ports/ledger-error.ts'
import type { AccountPlace, OtherServer, ServerList } from '../ports/server-list.ts'

/** Wait before the ledger is asked again where an account is. */
const askAgainMs = 25
/** Longest wait for an account whose server starts or stops. A stop takes up to 15 s. */
const patienceMs = 20_000

/** Accounts that are made ready at once. */
const adoptedAtOnce = 8

/** What is done with accounts that come and go. */
export interface AccountMoves {
  /** Makes an account ready on this server. Returns false if it was deleted. */
  bringHere: (account: number) => Promise<boolean>
  /** Ends the work on an account, and forgets what is in memory only. */
  leave: (account: number) => void
  /** Forgets an account that was deleted. */
  forget: (account: number) => void
}

/**
 * The accounts that this server has. An account is on one server at a time: the first one that
 * needs it, until it stops or loses its connection to the ledger.
 */
export class Ownership {
  readonly #servers: ServerList
  readonly #moves: AccountMoves
  /** Terms of the accounts that are here, or on their way. */
  readonly #terms = new Map<number, number>()
  /** Accounts that are ready. */
  readonly #ready = new Set<number>()
  readonly #coming = new Map<number, Promise<boolean>>()
  /** Requests wait together for the place of an account. */
  readonly #waiting = new Map<number, Promise<'here' | OtherServer | undefined>>()
  /** Accounts that could not be made ready, and not be given back. */
  readonly #stranded = new Set<number>()
  /** Grows with each account that is given back. */
  #releases = 0
  /** Servers that had accounts when they were looked for. */
  readonly #elsewhere = new Map<number, OtherServer>()
  #lastTerm = 0
  #isLeaving = false

  constructor (servers: ServerList, moves: AccountMoves) {
    this.#servers = servers
    this.#moves = moves
    servers.listenForLoss(() => this.#loseAll())
  }

  /** Returns the term of an account: see `Database`. */
  termOf (account: number): number | undefined {
    return this.#terms.get(account)
  }

  isHere (account: number): boolean {
    return this.#ready.has(account)
  }

  /**
   * Returns the server that has an account, after it was brought here if no server has it; and
   * undefined if it was deleted. `isFresh` is true if the answer of the last time was wrong.
   */
  async find (account: number, isFresh = false): Promise<'here' | OtherServer | undefined> {
    const known = this.#elsewhere.get(account)
    if (this.isHere(account)) return 'here'
    if (known !== undefined && !isFresh) return known
    this.#elsewhere.delete(account)
    let waiting = this.#waiting.get(account)
    if (waiting === undefined) {
      waiting = this.#wait(account).finally(() => this.#waiting.delete(account))
      this.#waiting.set(account, waiting)
    }
    return await waiting
  }

  async #wait (account: number): Promise<'here' | OtherServer | undefined> {
    const end = stopwatch() + patienceMs
    for (;;) {
      const place = await this.#ask(account)
      if (place === undefined || place === 'here') return place
      if (place !== 'nowhere' && place.url !== null && !place.isLeaving) {
        this.#elsewhere.set(account, place)
        return place
      }
      if (stopwatch() > end) throw unreachable()
      await sleep(askAgainMs)
    }
  }

  /** Takes accounts that no server has and that have work. One that fails does not stop others. */
  async adopt (accounts: readonly number[]): Promise<void> {
    const waiting = [...new Set([...accounts, ...this.#stranded])]
    const adoptNext = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        // The next look finds it again.
        if (!this.isHere(next)) await this.#ask(next).catch(() => {})
      }
    }
    await Promise.all(Array.from({ length: adoptedAtOnce }, adoptNext))
  }

  async #ask (account: number): Promise<Exclude<AccountPlace, 'deleted'> | undefined> {
    const coming = this.#coming.get(account)
    if (coming !== undefined) return (await coming) ? 'here' : undefined
    if (this.#isLeaving) return 'nowhere'
    const releases = this.#releases
    const place = await this.#servers.findPlace(account)
    if (place === 'deleted') {
      this.#stranded.delete(account)
      this.#moves.forget(account)
      return undefined
    }
    if (place !== 'here') return place
    // It may have been given back meanwhile.
    if (this.#isLeaving || (releases !== this.#releases && !this.isHere(account))) return 'nowhere'
    return (await this.#bring(account)) ? 'here' : undefined
  }

  #bring (account: number): Promise<boolean> {
    let coming = this.#coming.get(account)
    if (this.isHere(account)) return Promise.resolve(true)
    if (coming === undefined) {
      coming = this.#bringNow(account).finally(() => this.#coming.delete(account))
      this.#coming.set(account, coming)
    }
    return coming
  }

  async #bringNow (account: number): Promise<boolean> {
    const term = ++this.#lastTerm
    this.#terms.set(account, term)
    try {
      const isThere = await this.#moves.bringHere(account)
      if (this.#terms.get(account) !== term) throw new AccountMovedError()
      this.#stranded.delete(account)
      if (isThere) this.#ready.add(account)
      else this.#terms.delete(account)
      return isThere
    } catch (error) {
      const isOurs = this.#terms.get(account) === term
      if (isOurs) this.#terms.delete(account)
      this.#moves.leave(account)
      // The next request tries again, here or elsewhere.
      if (isOurs) await this.#release(account)
      throw error
    }
  }

  async #release (account: number): Promise<void> {
    this.#releases++
    try {
      await this.#servers.release(account)
    } catch {
      this.#stranded.add(account)
    }
  }

  /** Forgets where an account of another server is. */
  forgetPlace (account: number): void {
    this.#elsewhere.delete(account)
  }

  /** Gives all accounts back: no work on them is under way any more. */
  async giveBack (): Promise<void> {
    this.#isLeaving = true
    this.#leaveAll()
    await this.#servers.leave()
  }

  #loseAll (): void {
    this.#elsewhere.clear()
    this.#stranded.clear()
    this.#leaveAll()
  }

  #leaveAll (): void {
    const accounts = [...this.#terms.keys()]
    this.#terms.clear()
    this.#ready.clear()
    for (const account of accounts) this.#moves.leave(account)
  }
}

function unreachable (): LedgerUnusableError {
  return new LedgerUnusableError('the server of the account does not answer', undefined, {
    isTemporary: true
  })
}
