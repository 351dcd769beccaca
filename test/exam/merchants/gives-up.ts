import Merchant from './good.ts'

/** Tries once, and forgets. */
export default class extends Merchant {
  static override fails = ['REC-05']

  override pauses: number[] = []
}
