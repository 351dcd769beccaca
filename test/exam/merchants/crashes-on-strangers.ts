import Merchant from './good.ts'

/** Does not think of payments it does not know. */
export default class extends Merchant {
  static override fails = ['TRU-05']

  override async onUnknown (record: any) {
    if (record.refundId === undefined && record.depositId !== undefined) {
      throw new TypeError('order is undefined')
    }
    return 200
  }
}
