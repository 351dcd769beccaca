import Merchant from './good.ts'

/** Refuses a signature that was made in its future, by however little. */
export default class extends Merchant {
  static override fails = ['SIG-08']

  override isAhead (created: number) {
    return created > Date.now() / 1000
  }
}
