import t from 'tap'
import { kinds } from '../../src/domain/kinds.ts'
import { isFinal, movesFrom, statusesOf } from '../../src/domain/status.ts'
import { prefix, requests } from '../support/examples.ts'
import { testStart } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

for (const kind of Object.values(kinds)) {
  t.test(`a final ${kind.name} never changes`, async (t) => {
    for (const status of statusesOf(kind)) {
      const isLast = movesFrom(kind, status).length === 0
      t.equal(isLast, isFinal(status), `${status} is ${isFinal(status) ? '' : 'not '}final`)
    }
  })
}

t.test('a payment that is completed or failed cannot be moved', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen', start: testStart })
  for (const [kind, end, other] of [
    ['deposit', 'COMPLETED', 'FAILED'],
    ['deposit', 'FAILED', 'COMPLETED'],
    ['payout', 'COMPLETED', 'FAILED'],
    ['payout', 'FAILED', 'COMPLETED']
  ] as const) {
    const body = requests.v2[kind]!()
    const id = body[`${kind}Id`]
    await call('POST', `${prefix.v2}/${kind}s`, body)
    await call('POST', `/__admin/payments/${kind}/${id}/move`, { to: 'PROCESSING' })
    await call('POST', `/__admin/payments/${kind}/${id}/move`, { to: end })
    const answer = await call('POST', `/__admin/payments/${kind}/${id}/move`, { to: other })
    t.match(answer, { status: 409 }, `${kind}: ${end} to ${other}`)
    const { status } = (await call('GET', `${prefix.v2}/${kind}s/${id}`)).body.data
    t.equal(status, end)
  }
})
