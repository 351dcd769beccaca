import Merchant from './good.ts'

/** Expects a CSRF token of everybody who posts. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'END-02']

  override async onCallback () {
    return 419
  }
}
