import Merchant from './good.ts'

/** Finds the order by the metadata of the callback. */
export default class extends Merchant {
  static override fails = ['TRU-03']

  override async onRecord (record: any) {
    const order = this.orders.get(record.metadata?.orderId)
    const [id] = order?.paymentIds ?? []
    return await super.onRecord(
      id === undefined || record.depositId === undefined ? record : { ...record, depositId: id }
    )
  }
}
