import t from 'tap'
import { versions } from '../../src/domain/api-version.ts'
import { kinds, type KindName } from '../../src/domain/kinds.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { build } from '../support/helper.ts'

/** Status checks are answered from memory where possible. No change may be missed. */

/** Change of a payment between two status checks. */
interface ChangeRow {
  name: string
  path: string
  body?: object
  /** What the second check shows. */
  expected: RegExp
}

const changes: ChangeRow[] = [
  {
    name: 'a payment that is due',
    path: 'clock/advance',
    body: { by: '1h' },
    expected: /^COMPLETED$/
  },
  {
    name: 'a move by the tester',
    path: 'payments/:payment/move',
    body: { to: 'FAILED', failureCode: 'UNSPECIFIED_FAILURE' },
    expected: /^FAILED$/
  },
  { name: 'a restore', path: 'snapshots/before/restore', expected: /^ACCEPTED$/ },
  { name: 'a reset', path: 'reset', body: {}, expected: /^(NOT_FOUND|none)$/ }
]

/** A split payment follows its parts; nobody moves it. */
const changesOf = (kind: KindName): ChangeRow[] =>
  changes.filter(({ path }) => kind !== 'splitPayment' || !path.endsWith('/move'))

/** Status in the answer to a status check, in either version. */
function readStatus (body: any): string {
  const record = Array.isArray(body) ? body[0] : body.data
  return record?.status ?? body.status ?? 'none'
}

for (const version of versions) {
  for (const kind of Object.keys(requests[version]) as KindName[]) {
    t.test(`a status check of a ${kind} in ${version} shows each change`, async (t) => {
      const { call } = await build(t, { clock: 'frozen' })
      const { path, idField } = kinds[kind]
      let request = requests[version][kind]!()
      if (kind === 'refund') {
        const deposit = requests[version].deposit!()
        await call('POST', `${prefix[version]}/deposits`, deposit)
        await call('POST', '/__admin/clock/advance', { by: '1h' })
        request = but(request, 'depositId', deposit.depositId)
      }
      await call('POST', `${prefix[version]}/${path}`, request)
      await call('POST', '/__admin/snapshots', { name: 'before' })
      const id: string = request[idField]
      const url = `${prefix[version]}/${path}`
      // An identifier in capital letters is the same payment.
      const check = async (): Promise<string[]> => [
        readStatus((await call('GET', `${url}/${id}`)).body),
        readStatus((await call('GET', `${url}/${id.toUpperCase()}`)).body)
      ]
      for (const { name, path, body, expected } of changesOf(kind)) {
        await check()
        await call('POST', `/__admin/${path.replace(':payment', `${kind}/${id}`)}`, body)
        for (const status of await check()) t.match(status, expected, name)
        await call('POST', '/__admin/snapshots/before/restore')
      }
    })
  }
}
