import { createHash } from 'node:crypto'

/** Values that look made up, and are the same again for the same seed. */
export class Random {
  readonly seed: string
  #drawn = 0

  constructor (seed: string) {
    this.seed = seed
  }

  /** A UUID of version 4. */
  uuid (): string {
    const hex = createHash('sha256').update(`${this.seed} ${this.#drawn++}`).digest('hex')
    const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`]
    return [...parts, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
  }
}
