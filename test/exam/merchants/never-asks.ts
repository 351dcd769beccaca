import Merchant from './good.ts'

/** Has no job that asks about payments nothing was heard of. */
export default class extends Merchant {
  static override fails = ['REC-03']

  override async job () {}
}
