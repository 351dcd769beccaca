import { setTimeout as sleep } from 'node:timers/promises'
import AskingMerchant from './good-asking.ts'
import type { Payment } from './good.ts'

/** Answers at once and asks later. When the API takes too long, it believes the callback. */
export default class extends AskingMerchant {
  static override fails = ['SIG-11']
  static override also = ['REC-04']

  override async onRecord (record: any) {
    super.onRecord(record).catch(() => {})
    return 200
  }

  override async confirmed (payment: Payment, record: any) {
    return await Promise.race([super.confirmed(payment, record), sleep(2500, record)])
  }
}
