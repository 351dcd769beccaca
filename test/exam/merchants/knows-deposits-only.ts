import Merchant from './good.ts'

/** Refuses callbacks of other kinds. */
export default class extends Merchant {
  static override fails = ['END-03']

  override async onRecord (record: any) {
    const isKnown = this.payments.has(this.idIn(record))
    return isKnown || (record.refundId === undefined && record.depositId !== undefined)
      ? await super.onRecord(record)
      : 400
  }
}
