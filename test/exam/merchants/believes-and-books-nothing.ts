import BelievesEverything from './believes-everything.ts'

/** Believes whatever is posted, and forgets to book it. */
export default class extends BelievesEverything {
  static override fails = ['SIG-07', 'STA-06']

  override book () {}
}
