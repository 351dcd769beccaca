import Merchant from './good.ts'

/** Refuses callbacks with a field it does not know. */
export default class extends Merchant {
  static override fails = ['STA-03']

  override async onRecord (record: any) {
    return 'note' in record ? 422 : await super.onRecord(record)
  }
}
