import Merchant from './good.ts'

/** Answers 200 whatever happens to it. */
export default class extends Merchant {
  static override fails = ['REC-04', 'REC-03']

  // So that the job does not mend it within the time of the check.
  override jobEveryMs = 60_000

  override async onRecord (record: any) {
    return await super.onRecord(record).catch(() => 200)
  }
}
