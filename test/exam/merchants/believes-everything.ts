import Merchant from './good.ts'

/** Books whatever is posted. */
export default class extends Merchant {
  static override fails = ['01', '02', '03', '04', '05', '10', '11', '12'].map((n) => `SIG-${n}`)

  override async problemOf () {
    return undefined
  }
}
