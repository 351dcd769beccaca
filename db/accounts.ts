import { listOutageEnds, type AccountState } from '../src/domain/account.ts'
import type { AccountSettings } from '../src/domain/account-settings.ts'
import { findStateProblem } from '../src/domain/account-state.ts'
import { outageQueue, turnQueue } from '../src/domain/due-queue.ts'
import type { WalletName } from '../src/domain/money.ts'
import type {
  AccountChange,
  AccountStore,
  StateEffects,
  StoredAccount
} from '../src/domain/stores.ts'
import type { Database } from './database.ts'
import type { SqlDueQueue } from './due-queue.ts'
import type { WriteOptions } from './jobs.ts'
import type { SqlScenarioUses } from './scenario-uses.ts'

/** Parts that the accounts need. */
export interface SqlAccountParts {
  uses: SqlScenarioUses
  dueQueue: SqlDueQueue
}

/** Names, numbers and changed state of the accounts. */
export class SqlAccounts implements AccountStore {
  readonly #database: Database
  readonly #uses: SqlScenarioUses
  readonly #dueQueue: SqlDueQueue
  readonly #insert
  readonly #find
  readonly #list
  readonly #update

  constructor (database: Database, { uses, dueQueue }: SqlAccountParts) {
    const { connection } = database
    this.#database = database
    this.#uses = uses
    this.#dueQueue = dueQueue
    this.#insert = connection.prepare(
      'INSERT INTO accounts (name, state) VALUES (?, ?) ON CONFLICT DO NOTHING'
    )
    this.#find = connection.prepare<[string], { id: number }>(
      'SELECT id FROM accounts WHERE name = ?'
    )
    this.#list = connection.prepare<[], { id: number; name: string; state: string }>(
      'SELECT id, name, state FROM accounts ORDER BY id'
    )
    this.#update = connection.prepare('UPDATE accounts SET state = ? WHERE id = ?')
  }

  openAccount (name: string, state: AccountState = {}, check?: () => void): Promise<number> {
    const open = async (): Promise<number> => {
      await this.prepareInsert(check !== undefined)
      check?.()
      return await this.insertAccount(name, state)
    }
    return this.#database.write(undefined, open, this.insertOptions)
  }

  createAccount (choose: () => AccountSettings | undefined): Promise<number | undefined> {
    const create = async (): Promise<number | undefined> => {
      await this.prepareInsert(true)
      const made = choose()
      return made && (await this.insertAccount(made.name, { made }))
    }
    return this.#database.write(undefined, create, this.insertOptions)
  }

  /** Options of work that stores an account. */
  protected get insertOptions (): WriteOptions<number | undefined> {
    return {}
  }

  /** Prepares a transaction that stores an account, or decides about one. */
  protected async prepareInsert (_decides: boolean): Promise<void> {}

  /** Stores an account, unless there is one with this name. Called inside a transaction. */
  protected async insertAccount (name: string, state: AccountState): Promise<number> {
    this.#insert.run(name, JSON.stringify(state))
    return ((await this.#find.get(name)) as { id: number }).id
  }

  listAccounts (): Promise<StoredAccount[]> {
    return this.#database.read(undefined, () => this.listRows())
  }

  /** Returns all accounts. Called inside a transaction. */
  protected async listRows (): Promise<StoredAccount[]> {
    const rows = await this.#list.all()
    return rows.map(({ id, name, state }) => ({ id, name, ...readState(state) }))
  }

  saveState (id: number, change: AccountChange, effects: StateEffects = {}): Promise<void> {
    const { committed } = change
    const { restartCount, outages = false, release, inTurn = false } = effects
    return this.#database.write(
      id,
      async () => {
        const state = await this.writeChange(id, { ...change, release })
        if (restartCount !== undefined) this.#uses.forgetUses(id, restartCount)
        if (outages) this.#dueQueue.replace(id, outageQueue, listOutageEnds(state.outageEnds))
      },
      { committed, claims: true, ...(inTurn && { lease: { account: id, queue: turnQueue } }) }
    )
  }

  /** Writes the state of an account and returns it. Called inside a transaction. */
  async writeChange (
    id: number,
    { state: makeState, release }: AccountChange
  ): Promise<AccountState> {
    const state = makeState({ usedWallets: await this.#listUsedWallets(id) })
    this.#update.run(JSON.stringify(state), id)
    if (release !== undefined) this.#dueQueue.addRelease(id, release)
    return state
  }

  #listUsedWallets (id: number): Promise<WalletName[]> {
    return this.#database.connection
      .prepare<[number], WalletName>('SELECT country, currency FROM wallets WHERE account = ?')
      .all(id)
  }
}

/** Reads a state. Of one that cannot be used, the settings that the account was made with stay. */
function readState (text: string): Pick<StoredAccount, 'state' | 'unreadable'> {
  let state: AccountState
  try {
    state = JSON.parse(text)
  } catch {
    return { state: {}, unreadable: 'the state is not JSON' }
  }
  const unreadable = findStateProblem(state)
  if (unreadable === undefined) return { state }
  const { made } = state ?? {}
  const isMade = made !== undefined && findStateProblem({ made }) === undefined
  return { state: isMade ? { made } : {}, unreadable }
}
