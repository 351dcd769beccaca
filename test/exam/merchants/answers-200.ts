import Merchant from './good.ts'

/** Answers 200 to each callback and does nothing; nor has it a job. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'REC-03']

  override async onCallback () {
    return 200
  }

  override async job () {}
}
