import { setTimeout as sleep } from 'node:timers/promises'
import AskingMerchant from './good-asking.ts'
import type { Payment } from './good.ts'

/** Answers after a second, and asks on. When the API takes too long, it believes the callback. */
export default class extends AskingMerchant {
  static override fails = ['SIG-11']

  override async onRecord (record: any) {
    return await Promise.race([super.onRecord(record), sleep(1000, 200)])
  }

  override async confirmed (payment: Payment, record: any) {
    return await Promise.race([super.confirmed(payment, record), sleep(2500, record)])
  }
}
