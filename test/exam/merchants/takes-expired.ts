import Merchant from './good.ts'

/** Does not look at when a signature expires. */
export default class extends Merchant {
  static override fails = ['SIG-05']

  override isExpired () {
    return false
  }
}
