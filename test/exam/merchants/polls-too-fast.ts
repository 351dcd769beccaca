import Merchant from './good.ts'

/** Asks ten times a second. */
export default class extends Merchant {
  static override fails = ['REC-05']

  override jobEveryMs = 50
}
