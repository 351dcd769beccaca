import t from 'tap'
import { select } from '../../src/exam/catalogue.ts'
import { limitEachTest } from '../support/limits.ts'
import { judgeMerchant } from './judge-merchant.ts'

/** Some merchants and some fast checks. `npm run test:exam` runs all of them. */

limitEachTest()

const merchants: Array<[name: string, checks: string[]]> = [
  ['good', ['SIG-01', 'SIG-04', 'SIG-07', 'TRU-01', 'IDE-01', 'STA-01', 'END-03', 'REQ']],
  ['good-asking', ['SIG-01', 'TRU-01', 'IDE-01', 'REQ-02']],
  ['believes-everything', ['SIG-01', 'SIG-07']],
  ['ignores-digest', ['SIG-04', 'SIG-07']],
  ['takes-any-amount', ['TRU-01', 'SIG-01']],
  ['counts-repeats', ['IDE-01', 'SIG-07']],
  ['books-accepted', ['STA-01', 'SIG-07']],
  ['puts-secrets-into-urls', ['REQ-02', 'SIG-07']]
]

for (const [name, words] of merchants) {
  t.test(`the merchant ${name} has its findings and no others`, async (t) => {
    await judgeMerchant(t, name, select(words).checks)
  })
}
