import Merchant from './good.ts'

/** Tries again at once. */
export default class extends Merchant {
  static override fails = ['REC-05']

  override pauses = [0, 0, 0, 0, 0, 0]
}
