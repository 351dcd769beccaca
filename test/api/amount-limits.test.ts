import t from 'tap'
import { fromHundredths, toHundredths } from '../../src/domain/amount.ts'
import { but, requests } from '../support/examples.ts'
import { build, id } from '../support/helper.ts'
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

t.test('an amount between the limits of two providers is told all limits', async (t) => {
  const limits = (min: string, max: string): object => ({
    currencies: { ZMW: { operationTypes: { DEPOSIT: { min, max } } } }
  })
  const { call } = await build(t, {
    countries: {
      ZMB: {
        providers: {
          MTN_MOMO_ZMB: limits('100', '1000'),
          AIRTEL_OAPI_ZMB: limits('1', '10'),
          ZAMTEL_ZMB: limits('500', '2000')
        }
      }
    }
  })
  for (const [amount, status] of [
    ['0.5', 'REJECTED'],
    ['10', 'ACCEPTED'],
    ['50', 'REJECTED'],
    ['1500', 'ACCEPTED'],
    ['2001', 'REJECTED']
  ] as const) {
    const { body } = await call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/',
      amounts: [{ country: 'ZMB', currency: 'ZMW', amount }]
    })
    t.equal(body.status, status, amount)
    if (status === 'ACCEPTED') continue
    t.match(body.failureReason.failureMessage, /every provider of ZMB, 1 to 10 or 100 to 2000 ZMW/)
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
