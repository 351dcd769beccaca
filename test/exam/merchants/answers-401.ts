import Merchant from './good.ts'

/** Refuses each callback, genuine or not; its job books what was paid. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'END-02']

  // The job must not find payments that a check holds for a moment.
  override jobEveryMs = 1200

  override async onCallback () {
    return 401
  }
}
