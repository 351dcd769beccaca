import t from 'tap'
import { kinds } from '../../src/domain/kinds.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** The order of the rules: the first one that a request breaks decides the answer. */

/** Fields that break a rule, with their values, in the order of the rules. */
const rules: Array<{ name: string; field: keyof Names; value: string }> = [
  { name: 'provider', field: 'provider', value: 'NOBODY_ZMB' },
  { name: 'phone number', field: 'phoneNumber', value: '221763456789' },
  { name: 'currency', field: 'currency', value: 'XOF' },
  { name: 'decimals', field: 'amount', value: '0.001' },
  { name: 'limits', field: 'amount', value: '0.01' }
]

interface Names {
  provider: string
  phoneNumber: string
  currency: string
  amount: string
}

/** Where a version has these fields. */
const places: Record<'v1' | 'v2', (party: string) => Names> = {
  v1: (party) => ({
    provider: 'correspondent',
    phoneNumber: `${party}.address.value`,
    currency: 'currency',
    amount: 'amount'
  }),
  v2: (party) => ({
    provider: `${party}.accountDetails.provider`,
    phoneNumber: `${party}.accountDetails.phoneNumber`,
    currency: 'currency',
    amount: 'amount'
  })
}

for (const version of ['v1', 'v2'] as const) {
  for (const kind of Object.values(kinds)) {
    const make = requests[version][kind.name]
    if (make === undefined || kind.name === 'refund') continue
    t.test(`${version} ${kind.path}: the first broken rule decides the answer`, async (t) => {
      const { call } = await openSandbox(t, { clock: 'frozen' })
      const names = places[version](kind.party)
      const ask = async (...broken: typeof rules): Promise<unknown> => {
        const wrong = broken.reduce(
          (body, { field, value }) => but(body, names[field], value),
          make()
        )
        const { body } = await call('POST', `${prefix[version]}/${kind.path}`, wrong)
        return body.rejectionReason?.rejectionCode ?? body.failureReason?.failureCode
      }
      for (const [index, rule] of rules.entries()) {
        const code = await ask(rule)
        for (const later of rules.slice(index + 1)) {
          t.not(await ask(later), code, `${rule.name} and ${later.name} have different codes`)
          if (later.field === rule.field) continue
          t.equal(await ask(later, rule), code, `${rule.name} comes before ${later.name}`)
        }
      }
    })
  }
}
