import { listOutageEnds, type AccountState } from '../src/domain/account.ts'
import type { AccountSettings } from '../src/domain/account-settings.ts'
import { findStateProblem } from '../src/accounts/stored-state.ts'
import { outageQueue } from '../src/ports/due-queue.ts'
import type { WalletName } from '../src/domain/money.ts'
import {
  TakenError,
  type AccountChange,
  type AccountStore,
  type StateEffects,
  type StoredAccount,
  type StoredToken
} from '../src/ports/stores.ts'
import type { Database } from './database.ts'
import type { SqlDueQueue } from './due-queue.ts'
import type { SqlScenarioUses } from './scenario-uses.ts'

/** Parts that the accounts need. */
export interface SqlAccountParts {
  uses: SqlScenarioUses
  dueQueue: SqlDueQueue
  /** Returns the state of a new account. */
  firstState?: () => AccountState
}

interface AccountRow {
  id: number
  ledger: number
  name: string
  state: string
}

/** Names, numbers and changed state of the accounts. */
export class SqlAccounts implements AccountStore {
  readonly #database: Database
  readonly #uses: SqlScenarioUses
  readonly #dueQueue: SqlDueQueue
  readonly #insert
  readonly #addLedger
  readonly #find
  readonly #list
  readonly #byId
  readonly #update
  readonly #tokens
  readonly #tokensOf
  readonly #ofToken
  readonly #addToken
  readonly #dropToken
  readonly #firstState: () => AccountState

  constructor (database: Database, { uses, dueQueue, firstState = () => ({}) }: SqlAccountParts) {
    const { connection } = database
    this.#database = database
    this.#uses = uses
    this.#dueQueue = dueQueue
    this.#firstState = firstState
    this.#insert = connection.prepare(
      'INSERT INTO accounts (name, state, ledger) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    )
    this.#addLedger = connection.prepare(
      "INSERT INTO ledgers (number, account, state) VALUES (?, ?, 'USED')"
    )
    this.#find = connection.prepare<[string], { id: number; ledger: number }>(
      'SELECT id, ledger FROM accounts WHERE name = ?'
    )
    this.#list = connection.prepare<[], AccountRow>(
      'SELECT id, name, state, ledger FROM accounts ORDER BY id'
    )
    this.#byId = connection.prepare<[number], AccountRow>(
      'SELECT id, name, state, ledger FROM accounts WHERE id = ?'
    )
    this.#tokens = connection.prepare<[], { token: string; account: number }>(
      'SELECT token, account FROM tokens'
    )
    this.#tokensOf = connection.prepare<[number], { token: string }>(
      'SELECT token FROM tokens WHERE account = ?'
    )
    this.#ofToken = connection.prepare<[string], { account: number }>(
      'SELECT account FROM tokens WHERE token = ?'
    )
    this.#addToken = connection.prepare(
      'INSERT INTO tokens (token, account) VALUES (?, ?) ON CONFLICT DO NOTHING'
    )
    this.#dropToken = connection.prepare('DELETE FROM tokens WHERE token = ?')
    this.#update = connection.prepare('UPDATE accounts SET state = ? WHERE id = ?')
  }

  openAccount (name: string, tokens: readonly string[] = []): Promise<number> {
    const open = async (): Promise<number> => {
      const { id, isNew } = await this.#open(name, this.#firstState())
      if (isNew) await this.#writeTokens(id, tokens)
      return id
    }
    return this.#database.write(undefined, open, { alone: true })
  }

  createAccount (made: AccountSettings): Promise<number> {
    const create = async (): Promise<number> => {
      const state = { ...this.#firstState(), made }
      const { id, isNew } = await this.#open(made.name, state)
      if (!isNew) throw new TakenError(`there is an account '${made.name}'`)
      const tokens = (made.tokens ?? []).map(({ token }) => token)
      if (!(await this.#writeTokens(id, tokens))) throw new TakenError('a token is taken')
      return id
    }
    return this.#database.write(undefined, create, { alone: true })
  }

  /** Opens an account with a ledger of its own, unless there is one of this name. */
  async #open (name: string, state: AccountState): Promise<{ id: number; isNew: boolean }> {
    const known = await this.#find.get(name)
    if (known === undefined) {
      const [ledger] = await this.#database.connection.reserveNumbers('ledgers', 1)
      const isNew = (await this.#insert.change(name, JSON.stringify(state), ledger)) > 0
      const { id } = this.#note((await this.#find.get(name)) as { id: number; ledger: number })
      if (isNew) this.#addLedger.run(ledger, id)
      return { id, isNew }
    }
    return { id: this.#note(known).id, isNew: false }
  }

  /** Notes the ledger of an account. */
  #note<Row extends { id: number; ledger: number }>(row: Row): Row {
    this.#database.setLedger(row.id, row.ledger)
    return row
  }

  listAccounts (): Promise<StoredAccount[]> {
    return this.#database.read(undefined, async () =>
      (await this.#list.all()).map((row) => readAccount(this.#note(row)))
    )
  }

  findAccount (id: number): Promise<StoredAccount | undefined> {
    return this.#database.read(undefined, async () => {
      const row = await this.#byId.get(id)
      return row && readAccount(this.#note(row))
    })
  }

  findToken (token: string): Promise<number | undefined> {
    return this.#database.read(undefined, async () => (await this.#ofToken.get(token))?.account)
  }

  storeTokens (tokens: readonly StoredToken[], accounts: readonly number[]): Promise<void> {
    return this.#database.write(undefined, async () => {
      const wanted = new Map(tokens.map((one) => [one.token, one]))
      const stored = new Map((await this.#tokens.all()).map((row) => [row.token, row.account]))
      for (const [token, account] of stored) {
        const owner = wanted.get(token)
        const isKept = owner === undefined ? !accounts.includes(account) : owner.account === account
        if (!isKept && (owner?.isConfigured ?? true)) this.#dropToken.run(token)
      }
      for (const { token, account } of tokens) {
        if (stored.get(token) !== account) await this.#addToken.change(token, account)
      }
    })
  }

  /** Makes these the tokens of an account. Returns false if another account has one of them. */
  async #writeTokens (id: number, tokens: readonly string[]): Promise<boolean> {
    const before = (await this.#tokensOf.all(id)).map(({ token }) => token)
    for (const token of before) if (!tokens.includes(token)) this.#dropToken.run(token)
    let areFree = true
    for (const token of tokens) {
      if (before.includes(token) || (await this.#addToken.change(token, id)) > 0) continue
      areFree &&= (await this.#ofToken.get(token))?.account === id
    }
    return areFree
  }

  saveState (id: number, change: AccountChange, effects: StateEffects = {}): Promise<void> {
    const { committed } = change
    const { restartCount, outages = false, release, refusesTaken = false } = effects
    return this.#database.write(
      id,
      async () => {
        const state = await this.writeChange(id, { ...change, release }, refusesTaken)
        if (restartCount !== undefined) this.#uses.forgetUses(id, restartCount)
        if (outages) this.#dueQueue.replace(id, outageQueue, listOutageEnds(state.outageEnds))
      },
      { committed }
    )
  }

  /** Writes the state of an account and returns it. Called inside a transaction. */
  async writeChange (
    id: number,
    { state: makeState, tokens, release }: AccountChange,
    refusesTaken = false
  ): Promise<AccountState> {
    const state = makeState({ usedWallets: await this.#listUsedWallets(id) })
    this.#update.run(JSON.stringify(state), id)
    const areFree = await this.#writeTokens(id, tokens())
    if (refusesTaken && !areFree) throw new TakenError('a token is taken')
    if (release === true) this.#dueQueue.addRelease(id)
    return state
  }

  #listUsedWallets (id: number): Promise<WalletName[]> {
    return this.#database.connection
      .prepare<[number], WalletName>('SELECT country, currency FROM wallets WHERE ledger = ?')
      .all(this.#database.ledgerOf(id))
  }
}

function readAccount ({ id, name, state }: AccountRow): StoredAccount {
  return { id, name, ...readState(state) }
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
