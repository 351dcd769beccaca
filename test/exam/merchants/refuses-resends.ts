import Merchant from './good.ts'

/** Refuses a callback about a payment that is final. */
export default class extends Merchant {
  static override fails = ['IDE-06']

  // The job must not book a payment before its callback comes.
  override jobEveryMs = 2000

  override async onRecord (record: any) {
    return this.payments.get(this.idIn(record))?.state === 'completed'
      ? 409
      : await super.onRecord(record)
  }
}
