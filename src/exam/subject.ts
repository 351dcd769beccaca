import type { PaymentRecord } from './callback.ts'
import type { Kind } from './mock.ts'

/** Payment that a check is about, and its reference in the merchant's application. */
export interface Subject {
  kind: Kind
  id: string
  /** Absent if the merchant did not start the payment, or gave no reference. */
  reference?: string
  record: PaymentRecord
}
