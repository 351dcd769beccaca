import Merchant, { type Received } from './good.ts'

/** Verifies a signature only if there is one. */
export default class extends Merchant {
  static override fails = ['SIG-01', 'SIG-10', 'SIG-11']

  override async problemOf (received: Received) {
    return received.headers.signature === undefined ? undefined : await super.problemOf(received)
  }
}
