import type { Facts, FactsNeeded } from '../src/domain/facts.ts'
import { kinds, type Kind, type Operation } from '../src/domain/kinds.ts'
import { paymentQueue } from '../src/ports/due-queue.ts'
import type { AnyPayment, Payment } from '../src/domain/payment.ts'
import type { PaymentFilter } from '../src/domain/payment-filter.ts'
import type {
  Initiation,
  Key,
  Ledger,
  MovedPayments,
  PaymentChange,
  PaymentDecision,
  PaymentQuery,
  FoundPayments,
  PaymentWithParts,
  SearchOptions,
  StatusCounts,
  TransitionRules
} from '../src/ports/ledger.ts'
import { isRefusal, type Refusal } from '../src/domain/refusal.ts'
import type { Balances } from './balances.ts'
import type { Database } from './database.ts'
import type { SqlDueQueue } from './due-queue.ts'
import { PaymentMoves } from './payment-moves.ts'
import { PaymentSearch } from './payment-search.ts'
import { PaymentRows } from './payments.ts'
import { readFound, RecentPayments, toFound, type FoundPayment } from './recent-payments.ts'
import type { PaymentRow } from './rows.ts'
import type { SqlScenarioUses } from './scenario-uses.ts'
import type { SqlSetAside } from './set-aside.ts'
import { StateChangeWriter, type StateChangeParts } from './state-changes.ts'

export interface LedgerParts extends Omit<StateChangeParts, 'payments' | 'recent'> {
  setAside: SqlSetAside
}

/** Payments, their history and their money. */
export class SqlLedger implements Ledger {
  readonly #database: Database
  readonly #payments: PaymentRows
  readonly #writer: StateChangeWriter
  readonly #dueQueue: SqlDueQueue
  readonly #balances: Balances
  readonly #uses: SqlScenarioUses
  readonly #moves: PaymentMoves
  readonly #search: PaymentSearch
  readonly #readsAhead: boolean
  readonly #recent: RecentPayments
  /** True if the next identifier is looked up first: 86 instead of 114 µs for a duplicate. */
  #expectsDuplicate = false

  constructor (database: Database, { setAside, ...parts }: LedgerParts) {
    this.#database = database
    this.#payments = new PaymentRows(database)
    this.#readsAhead = database.connection.readAhead !== undefined
    this.#recent = new RecentPayments(database)
    this.#writer = new StateChangeWriter(database, {
      ...parts,
      payments: this.#payments,
      recent: this.#recent
    })
    this.#dueQueue = parts.dueQueue
    this.#balances = parts.balances
    this.#uses = parts.uses
    this.#moves = new PaymentMoves(database, parts.balances, setAside)
    this.#search = new PaymentSearch(database, this.#payments)
  }

  acceptPayment (key: Key, { needs, decide }: PaymentDecision): Promise<Initiation> {
    const { account, kind } = key
    const accept = async (): Promise<Initiation> => {
      const known = this.#expectsDuplicate ? await this.#payments.find(key) : undefined
      if (known !== undefined) return { outcome: 'DUPLICATE', payment: known }
      const draft = decide(await this.#readFacts(account, needs))
      const payment =
        'code' in draft ? undefined : await this.#writer.storePayment(account, kind, draft)
      // Nearly every identifier is new: only one that could not be stored is looked up, and counts.
      const first = payment === undefined ? await this.#payments.find(key) : undefined
      // Duplicates come in series. With PostgreSQL, looking them up first costs a round trip.
      this.#expectsDuplicate = first !== undefined && !this.#readsAhead
      if (first !== undefined) return { outcome: 'DUPLICATE', payment: first }
      for (const scenario of draft.usedScenarios ?? []) this.#uses.addUse(account, scenario)
      const { behaviour } = draft
      return 'code' in draft
        ? { outcome: 'REFUSED', refusal: draft, behaviour }
        : { outcome: 'ACCEPTED', payment: payment as AnyPayment, behaviour }
    }
    const { wallet } = needs
    return this.#database.write(account, accept, {
      firstRead: wallet && this.#balances.describeFind(account, wallet)
    })
  }

  async findPayment (key: Key, history = true): Promise<AnyPayment | undefined> {
    // What is known is not read again, as long as the account is surely here.
    const isKnown = !history && this.#recent.find(key) !== undefined
    const isRead = this.#readsAhead && !(isKnown && this.#database.connection.isAlive?.() === true)
    const firstRead = isRead ? this.#payments.describeFind(key) : undefined
    const find = (): Promise<FoundPayment | undefined> => this.#findRows(key, history)
    const found = await this.#database.read(key.account, find, { firstRead })
    return found && readFound(found)
  }

  async #findRows (key: Key, history: boolean): Promise<FoundPayment | undefined> {
    const known = history ? undefined : this.#recent.find(key)
    if (known !== undefined) return known
    const rows = await this.#payments.findRows(key, history)
    if (rows === undefined) return undefined
    return history ? toFound(key.account, rows) : this.#recent.add(key, rows)
  }

  async findWithParts (key: Key, history = true): Promise<PaymentWithParts | undefined> {
    const whole = await this.#database.read(key.account, async () => {
      const found = await this.#findRows(key, history)
      return found && { found, parts: await this.#payments.listParts(found) }
    })
    return whole && { payment: readFound(whole.found), parts: whole.parts }
  }

  findByCode (code: string): Promise<PaymentWithParts | undefined> {
    return this.#database.read(undefined, async () => {
      const payment = await this.#payments.findByCode(code)
      return payment && { payment, parts: await this.#writer.listOwnParts(payment) }
    })
  }

  listPayments (
    account: number,
    query: PaymentQuery,
    options: SearchOptions
  ): Promise<FoundPayments> {
    return this.#search.list(account, query, options)
  }

  countPayments (
    account: number,
    filter: PaymentFilter,
    options: SearchOptions
  ): Promise<StatusCounts> {
    return this.#search.count(account, filter, options)
  }

  async findParent ({ account, parent }: AnyPayment): Promise<AnyPayment | undefined> {
    if (parent === undefined) return undefined
    return await this.#database.read(account, () =>
      this.#payments.findBySeq(account, parent)
    )
  }

  listParts (payment: AnyPayment): Promise<Payment[]> {
    return this.#database.read(payment.account, () => this.#payments.listParts(payment))
  }

  listByPhone (account: number, phoneNumber: string, limit: number): Promise<Payment[]> {
    return this.#database.read(account, () =>
      this.#payments.listByPhone(account, phoneNumber, limit)
    )
  }

  changePayment (
    key: Key,
    { choices, decide, readNow, rulesAt }: PaymentChange
  ): Promise<Refusal | undefined> {
    const changePayment = async (): Promise<Refusal | undefined> => {
      const payment = await this.#payments.find(key)
      if (payment === undefined) {
        const message = `there is no ${key.kind.name} ${key.id} on this account`
        return { code: 'NOT_FOUND', message }
      }
      const freeId = await this.#findFreeId(key.account, choices?.(payment))
      await this.#uses.load(key.account)
      const now = readNow()
      const change = decide(payment, now, await this.#writer.listOwnParts(payment), freeId)
      if (isRefusal(change)) return change
      if (change.moves.length > 0 || change.plan !== undefined) {
        this.#writer.withdraw(payment, change)
      }
      await this.#writer.apply(payment, change, rulesAt(now))
    }
    return this.#database.write(key.account, changePayment)
  }

  moveDuePayments (
    account: number,
    now: number,
    limit: number,
    rules: TransitionRules
  ): Promise<MovedPayments> {
    return this.#moves.moveEach(account, () => now, {
      list: async () => {
        rules.restart?.()
        return await this.#payments.listDueRows(account, paymentQueue, now, limit)
      },
      withdraw: ({ due, seq }) => this.#dueQueue.drop(account, paymentQueue, due, seq),
      // One statement instead of one for each payment.
      withdrawAll: (rows) => {
        const taken = rows.map(({ due, seq }) => ({ due, subject: seq }))
        this.#dueQueue.dropTaken(account, paymentQueue, taken)
      },
      move: async (row) => {
        await this.#uses.load(account)
        const payment = await this.#payments.read(account, row)
        const change = rules.apply(payment, await this.#writer.listOwnParts(payment))
        await this.#writer.apply(payment, change, rules)
      }
    })
  }

  listWaitedFor (account: number): Promise<Array<{ provider: string; operation: Operation }>> {
    return this.#database.read(account, () => this.#payments.listWaitedFor(account))
  }

  releasePayments (
    { account, provider, operation }: { account: number; provider: string; operation: Operation },
    { readNow, rulesAt }: Omit<PaymentChange, 'decide'>,
    limit: number
  ): Promise<MovedPayments> {
    const withdraw = ({ seq }: PaymentRow): void =>
      this.#writer.unholdPayment(account, provider, operation, seq)
    let rules: TransitionRules
    return this.#moves.moveEach(account, readNow, {
      list: async () => {
        rules = rulesAt(readNow())
        return await this.#payments.listHeldRows(account, provider, operation, limit)
      },
      withdraw,
      withdrawAll: (rows) => rows.forEach(withdraw),
      move: async (row) => {
        await this.#uses.load(account)
        const payment = (await this.#payments.read(account, row)) as Payment
        const change = rules.resume(payment)
        this.#writer.withdraw(payment, change)
        await this.#writer.apply(payment, change, rules)
      }
    })
  }

  async #readFacts (
    account: number,
    { deposit: id, wallet, payouts = [], codes = [], depositIds = [] }: FactsNeeded
  ): Promise<Facts> {
    await this.#uses.load(account)
    const deposit =
      id === undefined
        ? undefined
        : ((await this.#payments.find({ account, kind: kinds.deposit, id })) as Payment | undefined)
    const freeCode = await findFirst(
      codes,
      async (code) => !(await this.#payments.isCodeTaken(code))
    )
    const freeDepositId = await this.#findFreeId(account, depositIds)
    const { country, currency } = wallet ?? deposit?.details ?? {}
    const takenPayouts: string[] = []
    for (const payout of payouts) {
      if (await this.#isTaken(account, kinds.payout, payout)) takenPayouts.push(payout)
    }
    return {
      ...(deposit !== undefined && { deposit }),
      refunds: deposit === undefined ? [] : await this.#payments.listParts(deposit),
      available:
        country === undefined || currency === undefined
          ? 0
          : await this.#balances.readAvailable(account, country, currency),
      takenPayouts,
      used: (scenario) => this.#uses.readUses(account, scenario),
      ...(freeCode !== undefined && { freeCode }),
      ...(freeDepositId !== undefined && { freeDepositId })
    }
  }

  /** Returns the first of some identifiers that no deposit has. */
  #findFreeId (account: number, ids: readonly string[] = []): Promise<string | undefined> {
    return findFirst(ids, async (id) => !(await this.#isTaken(account, kinds.deposit, id)))
  }

  async #isTaken (account: number, kind: Kind, id: string): Promise<boolean> {
    return (await this.#payments.findCreated(account, kind, id)) !== undefined
  }
}

/** Returns the first value that a test accepts. */
async function findFirst<T> (
  values: readonly T[],
  isFound: (value: T) => Promise<boolean>
): Promise<T | undefined> {
  for (const value of values) if (await isFound(value)) return value
}
