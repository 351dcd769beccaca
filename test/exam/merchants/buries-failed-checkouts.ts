import Merchant from './good.ts'

/** Takes a failed attempt inside a checkout for the end of the checkout. */
export default class extends Merchant {
  static override fails = ['IDE-04']

  override async onRecord (record: any) {
    const checkout = [...this.payments.values()].find(({ kind }) => kind === 'checkout')
    if (
      record.depositId !== undefined &&
      record.status === 'FAILED' &&
      checkout?.state === 'pending'
    ) {
      this.fail(checkout)
    }
    return await super.onRecord(record)
  }
}
