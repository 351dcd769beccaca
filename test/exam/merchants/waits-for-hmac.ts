import { createHmac } from 'node:crypto'
import Merchant, { type Received } from './good.ts'

/** Waits for an HMAC of a shared secret, which the service does not send. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'END-02', 'END-03']
  static override also = [
    'SIG-06',
    'SIG-08',
    'SIG-09',
    'TRU-04',
    'IDE-01',
    'IDE-02',
    'IDE-03',
    'IDE-04',
    'IDE-05',
    'IDE-06',
    'STA-02',
    'STA-03',
    'STA-05',
    'STA-07',
    'REC-02',
    'REC-04',
    'END-04'
  ]

  override async problemOf ({ headers, body }: Received) {
    const expected = createHmac('sha256', 'shared secret').update(body).digest('hex')
    return headers['x-signature'] === expected ? undefined : 'wrong HMAC'
  }
}
