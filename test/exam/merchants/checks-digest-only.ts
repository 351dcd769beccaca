import Merchant from './good.ts'

/** Compares the digest, and never verifies the signature. */
export default class extends Merchant {
  static override fails = ['SIG-02', 'SIG-03', 'SIG-12']

  override isSigned () {
    return true
  }
}
