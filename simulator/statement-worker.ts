import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { StatementStore, Wallets } from '../src/ports/stores.ts'
import type { Statement, StatementEnding } from '../src/domain/statement.ts'
import type { FailureReason } from '../src/domain/status.ts'
import { statementHeader, statementWriter } from '../src/domain/statement.ts'
import type { DownloadLinks } from '../src/security/download-links.ts'
import type { StatementCodec } from '../src/wire/finances.ts'

/** Limits of statements per step and of entries per read, so that requests do not wait. */
const atOnce = 8
const pageSize = 5000
/** A statement with more lines than this fails. */
const maxLines = 1_000_000

const tooLong: FailureReason = {
  failureCode: 'UNKNOWN_ERROR',
  failureMessage: `the statement has more than ${maxLines} lines; ask for a shorter time`
}

const compress = promisify(gzip)

/** Creates the statements that are due from the entries of the books, and sends their callbacks. */
export class StatementWorker {
  readonly #statements: StatementStore
  readonly #wallets: Wallets
  readonly #downloads: DownloadLinks
  readonly #codec: StatementCodec

  constructor (
    statements: StatementStore,
    wallets: Wallets,
    downloads: DownloadLinks,
    codec: StatementCodec
  ) {
    this.#statements = statements
    this.#wallets = wallets
    this.#downloads = downloads
    this.#codec = codec
  }

  /**
   * Creates the statements that are due on an account's clock. A statement stays due until it is
   * stored with its callback, in one transaction.
   */
  async makeDueStatements (account: number, now: number): Promise<void> {
    for (const statement of await this.#statements.listDueStatements(account, now, atOnce)) {
      const { failure } = statement.request
      const file = failure === undefined ? await this.#make(statement, now) : undefined
      const ending: StatementEnding =
        file === undefined
          ? { at: now, failure: failure ?? tooLong }
          : { at: now, fileSize: file.length }
      await this.#statements.endStatement(
        statement,
        ending,
        {
          url: statement.request.callbackUrl,
          body: this.#body({ ...statement, ending }, now),
          created: now,
          due: now
        },
        file
      )
    }
  }

  async #make ({ account, request }: Statement, now: number): Promise<Buffer | undefined> {
    const write = statementWriter(request, now)
    const lines = [statementHeader]
    for (let after = 0, full = true; full;) {
      const page = await this.#wallets.listEntries(account, request.wallet, after, pageSize)
      for (const entry of page) {
        const line = write(entry)
        if (line !== undefined) lines.push(line)
      }
      if (lines.length > maxLines) return undefined
      full = page.length === pageSize
      after = page.at(-1)?.seq ?? after
    }
    const text = Buffer.from(lines.join(''))
    return request.compressed ? await compress(text) : text
  }

  #body (statement: Statement & { ending: StatementEnding }, now: number): string {
    const failed = 'failure' in statement.ending
    return JSON.stringify(
      this.#codec.write({
        statement,
        status: failed ? 'FAILED' : 'COMPLETED',
        ...(!failed && { download: this.#downloads.issue(statement, now) })
      })
    )
  }
}
