import Merchant from './good.ts'

/** Knows every field and status there is today. */
export default class extends Merchant {
  static override fails = ['STA-03']

  override async onRecord (record: any) {
    if (
      !['ACCEPTED', 'PROCESSING', 'COMPLETED', 'FAILED'].includes(record.status) &&
      record.checkoutId === undefined
    ) {
      throw new RangeError(`unknown status ${record.status}`)
    }
    return await super.onRecord(record)
  }
}
