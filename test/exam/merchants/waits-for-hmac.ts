import { createHmac } from 'node:crypto'
import Merchant, { type Received } from './good.ts'

/** Waits for an HMAC of a shared secret, which the service does not send. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'END-02']

  override async problemOf ({ headers, body }: Received) {
    const expected = createHmac('sha256', 'shared secret').update(body).digest('hex')
    return headers['x-signature'] === expected ? undefined : 'wrong HMAC'
  }
}
