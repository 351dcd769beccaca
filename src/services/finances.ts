import { refuseDeletedAccount } from '../accounts/account-changes.ts'
import type { Accounts } from '../accounts/registry.ts'
import type { Account } from '../domain/account.ts'
import type { Version } from '../domain/api-version.ts'
import type { ScenarioLibrary } from '../scenarios/scenario-library.ts'
import { selectFailure } from '../scenarios/scenario-failure.ts'
import type { SelectionContext } from '../scenarios/selection.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { listWallets } from '../domain/account-offering.ts'
import type { StatementStore, Wallets } from '../ports/stores.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { Statement, StatementRequest } from '../domain/statement.ts'
import { judgeStatement, readyAfterMs, statementStatus } from '../domain/statement.ts'
import type { DownloadLinks } from '../security/download-links.ts'
import type { Ids } from '../lib/ids.ts'
import type { Balance, StatementView } from '../wire/finances.ts'

export interface FinanceParts {
  wallets: Wallets
  statements: StatementStore
  downloads: DownloadLinks
  catalogue: Catalogue
  accounts: Accounts
  ids: Ids
  context: SelectionContext
  scenarioLibrary: ScenarioLibrary
  /** API version that has statements. */
  statementVersion: Version
}

/** Financial calls of a merchant: wallet balances and statements. */
export class Finances {
  readonly #parts: FinanceParts

  constructor (parts: FinanceParts) {
    this.#parts = parts
  }

  /** Every wallet of the account, used or not, or those of one country. */
  async listBalances (account: Account, country?: string): Promise<Balance[]> {
    const wallets = listWallets(account, this.#parts.catalogue, country)
    const available = await this.#parts.wallets.readAvailable(account.id, wallets)
    return wallets.map((wallet, index) => ({ ...wallet, available: available[index] }))
  }

  /** Accepts or refuses the request of a statement. */
  async requestStatement (
    account: Account,
    request: StatementRequest
  ): Promise<Statement | Refusal> {
    const { statements, catalogue, ids, context } = this.#parts
    const refusal = judgeStatement(request, account, catalogue)
    if (refusal !== undefined) return refusal
    await this.#parts.scenarioLibrary.readAll()
    return await statements.addStatement(account.id, (n) => {
      refuseDeletedAccount(account)
      const now = this.#parts.accounts.now(account)
      const scripted = selectFailure(
        {
          account,
          version: this.#parts.statementVersion,
          subject: 'statement',
          details: { id: '', ...request.wallet },
          used: () => 0,
          now
        },
        context
      )
      return {
        id: ids.statement(account.name, n),
        request: scripted === undefined ? request : { ...request, failure: scripted.failure },
        created: now,
        due: now + (scripted?.after ?? readyAfterMs)
      }
    })
  }

  /** A statement in its current state, with a new address of its file. */
  async findStatement (account: Account, id: string): Promise<StatementView | undefined> {
    const statement = await this.#parts.statements.findStatement(account.id, id)
    if (statement === undefined) return undefined
    const now = this.#parts.accounts.now(account)
    const status = statementStatus(statement)
    return {
      statement,
      status,
      ...(status === 'COMPLETED' && { download: this.#parts.downloads.issue(statement, now) })
    }
  }

  /** The file an address leads to. */
  async readFile (id: string, name: string): Promise<Buffer | Refusal> {
    const { statements, downloads, accounts } = this.#parts
    const statement = await statements.findByLink(id)
    const account = statement && accounts.find(statement.account)
    const expiresAt = statement && downloads.expiry(statement, name)
    if (statement === undefined || account === undefined || expiresAt === undefined) {
      return {
        code: 'NO_ROUTE',
        message:
          'there is no such file; take the downloadUrl from the status of the statement as it is'
      }
    }
    if (this.#parts.accounts.now(account) >= expiresAt) {
      return {
        code: 'GONE',
        message: 'this downloadUrl has expired; the status of the statement gives a new one'
      }
    }
    return (
      (await statements.readFile(statement)) ?? {
        code: 'NO_ROUTE',
        message: 'the statement has no file yet'
      }
    )
  }
}
