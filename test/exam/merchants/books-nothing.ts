import Merchant from './good.ts'

/** Verifies each callback, and forgets to book it. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'STA-06']

  override book () {}
}
