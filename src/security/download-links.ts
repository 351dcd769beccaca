import type { Download, Statement } from '../domain/statement.ts'
import type { Ids } from '../lib/ids.ts'

/**
 * An address lives this long on the account's clock; each look at the statement gives a new one.
 */
const lifetimeMs = 24 * 60 * 60_000

/**
 * Addresses that need no token, because only who was given one can know it. Each carries its own
 * end, so none is stored.
 */
export class DownloadLinks {
  readonly #ids: Ids
  readonly #base: () => string

  constructor (ids: Ids, base: () => string) {
    this.#ids = ids
    this.#base = base
  }

  /** A new address of a statement's file. */
  issue (statement: Statement, now: number): Download {
    const expiresAt = now + lifetimeMs
    const name = this.#name(statement, expiresAt)
    return {
      url: `${this.#base()}/v2/statements/${statement.id}/files/${name}`,
      expiresAt
    }
  }

  /** When an address that was issued ends; nothing, if it was not. */
  expiry (statement: Statement, file: string): number | undefined {
    const expiresAt = Number.parseInt(file, 10)
    return file === this.#name(statement, expiresAt) ? expiresAt : undefined
  }

  #name ({ id, request }: Statement, expiresAt: number): string {
    const secret = this.#ids.secret('statement', id, String(expiresAt))
    return `${expiresAt}-${secret}.csv${request.compressed ? '.gz' : ''}`
  }
}
