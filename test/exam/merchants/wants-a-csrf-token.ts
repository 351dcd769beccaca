import Merchant from './good.ts'

/** Expects a CSRF token of everybody who posts. */
export default class extends Merchant {
  static override fails = ['SIG-07', 'END-02']
  static override also = [
    'SIG-06',
    'SIG-08',
    'SIG-09',
    'TRU-04',
    'IDE-01',
    'IDE-02',
    'IDE-03',
    'IDE-04',
    'IDE-05',
    'IDE-06',
    'STA-02',
    'STA-03',
    'STA-05',
    'STA-07',
    'REC-02',
    'REC-04',
    'END-03',
    'END-04'
  ]

  override async onCallback () {
    return 419
  }
}
