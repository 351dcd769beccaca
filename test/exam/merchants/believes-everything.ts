import Merchant from './good.ts'

/** Books whatever is posted. */
export default class extends Merchant {
  static override fails = ['SIG-01', 'SIG-02', 'SIG-03', 'SIG-04', 'SIG-05', 'SIG-10', 'SIG-11']

  override async problemOf () {
    return undefined
  }
}
