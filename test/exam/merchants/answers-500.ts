import Merchant from './good.ts'

/** Has an error of its own at each callback; its job books what was paid. */
export default class extends Merchant {
  static override fails = ['SIG-07']

  // The job must not find payments that a check holds for a moment.
  override jobEveryMs = 1200

  override async onCallback () {
    return 500
  }
}
