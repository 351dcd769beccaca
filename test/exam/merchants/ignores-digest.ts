import Merchant from './good.ts'

/** Verifies the signature over the headers, and does not compare the digest with the body. */
export default class extends Merchant {
  static override fails = ['SIG-04']

  override isDigest () {
    return true
  }
}
