import t from 'tap'
import { fromHundredths, toHundredths } from '../../src/domain/amount.ts'
import { but, requests } from '../support/examples.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Amounts at the limits of a provider, and amounts in the books. */

t.test('the limits of a provider are allowed amounts', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  for (const [amount, status] of [
    ['1', 'ACCEPTED'],
    ['1.00', 'ACCEPTED'],
    ['0.99', 'REJECTED'],
    ['20000', 'ACCEPTED'],
    ['20000.00', 'ACCEPTED'],
    ['20000.01', 'REJECTED']
  ] as const) {
    const { body } = await call(
      'POST',
      '/v2/deposits',
      but(requests.v2.deposit!(), 'amount', amount)
    )
    t.equal(body.status, status, amount)
  }
})

t.test('amounts are stored in hundredths without an error of rounding', async (t) => {
  for (const [amount, hundredths, printed] of [
    ['0.29', 29, '0.29'],
    ['1.15', 115, '1.15'],
    ['19.99', 1999, '19.99'],
    ['1005.01', 100501, '1005.01'],
    ['4.35', 435, '4.35'],
    ['10', 1000, '10.00'],
    ['10.5', 1050, '10.50']
  ] as const) {
    t.equal(toHundredths(amount), hundredths, amount)
    t.equal(fromHundredths(hundredths), printed)
  }
})
