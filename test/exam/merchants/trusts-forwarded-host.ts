import Merchant, { type Received } from './good.ts'

/** Takes the host that a signature is for from a header that everybody can write. */
export default class extends Merchant {
  static override fails = ['SIG-12']

  override async problemOf (received: Received) {
    const { 'x-forwarded-host': forwarded, host } = received.headers
    const headers = { ...received.headers, host: String(forwarded ?? host) }
    return await super.problemOf({ ...received, headers })
  }
}
