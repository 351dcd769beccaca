import type { Download, Statement } from '../domain/statement.ts'
import type { Ids } from '../lib/ids.ts'

/** Lifetime of a link on the account's clock. Each status check of a statement gives a new one. */
const lifetimeMs = 24 * 60 * 60_000

/**
 * Links to the files of statements. A link needs no token, because it cannot be guessed. It
 * contains its end, so it is not stored.
 */
export class DownloadLinks {
  readonly #ids: Ids
  readonly #base: () => string

  constructor (ids: Ids, base: () => string) {
    this.#ids = ids
    this.#base = base
  }

  /** Returns a new link to the file of a statement. */
  issue (statement: Statement, now: number): Download {
    const expiresAt = now + lifetimeMs
    const name = this.#name(statement, expiresAt)
    return {
      url: `${this.#base()}/v2/statements/${statement.id}/files/${name}`,
      expiresAt
    }
  }

  /** Returns the end of a link, or undefined for a link that was not issued. */
  expiry (statement: Statement, file: string): number | undefined {
    const expiresAt = Number.parseInt(file, 10)
    return file === this.#name(statement, expiresAt) ? expiresAt : undefined
  }

  #name ({ id, request }: Statement, expiresAt: number): string {
    const secret = this.#ids.secret('statement', id, String(expiresAt))
    return `${expiresAt}-${secret}.csv${request.compressed ? '.gz' : ''}`
  }
}
