import { createHash } from 'node:crypto'
import type { Accounts } from '../accounts/registry.ts'
import type { Account } from '../domain/account.ts'
import { toHundredths } from '../domain/amount.ts'
import type { Fixture, FixturePayment } from './fixture.ts'
import type { Wallets } from '../ports/stores.ts'
import { parseDuration } from '../lib/duration.ts'
import { FixtureStage, type StageParts } from './fixture-stage.ts'

export interface FixtureParts extends StageParts {
  fixtures: readonly Fixture[]
  accounts: Accounts
  /** Brings an account to this server, and returns whether it is there. */
  isHere: (account: Account) => Promise<boolean>
  wallets: Wallets
}

/** Problem of a fixture that only the ledger shows: a rule refuses the payment. */
export interface FixtureProblem {
  /** Dotted path of the field in the configuration. */
  path: string
  message: string
}

/** Payment of a fixture, with its path in the configuration. */
interface FixtureRow {
  payment: FixturePayment
  path: string
  time: number
}

/** Deposits that are stored together: they share transactions. */
const batchSize = 50

/**
 * Creates the payments and wallets of the fixtures. Each account keeps a mark of the fixtures that
 * it has, so that a restart repeats nothing. A payment that exists is left as it is.
 */
export class Fixtures {
  readonly #parts: FixtureParts

  constructor (parts: FixtureParts) {
    this.#parts = parts
  }

  /** Creates the fixtures of all accounts that do not have them yet. Returns all problems. */
  async createAll (): Promise<FixtureProblem[]> {
    const names = new Set(this.#parts.fixtures.map(({ account = 'default' }) => account))
    const problems: FixtureProblem[] = []
    for (const name of names) {
      const account = this.#parts.accounts.byName(name) ?? (await this.#openSandbox(name))
      // Another server has created them.
      if (!(await this.#parts.isHere(account))) continue
      problems.push(...(await this.createFor(account)))
    }
    return problems
  }

  /** Creates the fixtures of one account, unless it has them. Returns all problems. */
  async createFor (account: Account): Promise<FixtureProblem[]> {
    const { fixtures, accounts } = this.#parts
    const own = [...fixtures.entries()].filter(
      ([, { account: name = 'default' }]) => name === account.name
    )
    if (own.length === 0) return []
    const mark = createHash('sha256').update(JSON.stringify(own)).digest('hex').slice(0, 16)
    if (account.fixtures === mark) return []
    const problems: FixtureProblem[] = []
    for (const [index, fixture] of own) {
      problems.push(...(await this.#create(account, fixture, `fixtures.${index}`)))
    }
    if (problems.length === 0) {
      await accounts.changes.saveEdit(account, (edited) => {
        edited.fixtures = mark
      })
    }
    return problems
  }

  async #openSandbox (token: string): Promise<Account> {
    const caller = await this.#parts.accounts.findCaller(token)
    if (caller === undefined) throw new Error(`there is no account '${token}'`)
    return caller.account
  }

  async #create (account: Account, fixture: Fixture, path: string): Promise<FixtureProblem[]> {
    const { wallets, accounts } = this.#parts
    const now = accounts.now(account)
    const rows = (fixture.payments ?? []).map((payment, index) => ({
      payment,
      path: `${path}.payments.${index}`,
      time: findTime(payment, now)
    }))
    const problems: FixtureProblem[] = []
    for (const batch of makeBatches(rows)) {
      const results = await Promise.all(batch.map((row) => this.#createPayment(account, row, now)))
      problems.push(...results.flatMap((problem) => problem ?? []))
    }
    for (const { country, currency, available } of fixture.wallets ?? []) {
      const hundredths = toHundredths(available)
      await wallets.changeAvailable(
        account.id,
        { country, currency },
        () => now,
        () => hundredths
      )
    }
    return problems
  }

  async #createPayment (
    account: Account,
    { payment, path, time }: FixtureRow,
    now: number
  ): Promise<FixtureProblem | undefined> {
    if (time > now) {
      const shown = new Date(now).toISOString()
      return {
        path: `${path}.at`,
        message: `${path}.at must not be after ${shown}, the time of the account`
      }
    }
    const stage = new FixtureStage(this.#parts, account, payment, time, now)
    const refusal = await stage.perform()
    return refusal === undefined
      ? undefined
      : { path: `${path}.request`, message: `${path}: ${refusal.message}` }
  }
}

/** Returns the time of a payment. */
function findTime ({ at, ago = 0 }: FixturePayment, now: number): number {
  return at === undefined ? now - (parseDuration(ago) as number) : Date.parse(at)
}

/**
 * Orders payments by their times, refunds last, because their deposits must exist. Deposits that
 * follow each other go together. All others go alone: they need the money and the ends of those
 * before them.
 */
function makeBatches (rows: readonly FixtureRow[]): FixtureRow[][] {
  const isRefund = ({ payment }: FixtureRow): number => (payment.kind === 'refund' ? 1 : 0)
  const ordered = rows.toSorted(
    (one, other) => isRefund(one) - isRefund(other) || one.time - other.time
  )
  const batches: FixtureRow[][] = []
  for (const row of ordered) {
    const last = batches.at(-1)
    const isNext = last?.[0].payment.kind === 'deposit' && row.payment.kind === 'deposit'
    if (isNext && last.length < batchSize) last.push(row)
    else batches.push([row])
  }
  return batches
}
