import Merchant, { type Received } from './good.ts'

/** Takes callbacks only from some addresses, which are not those of the service. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'END-02']

  readonly addresses = ['192.0.2.10', '198.51.100.7', '127.0.0.1']

  override async onCallback (received: Received) {
    const { 'x-forwarded-for': address = '127.0.0.1' } = received.headers
    return this.addresses.includes(String(address)) ? await super.onCallback(received) : 403
  }
}
