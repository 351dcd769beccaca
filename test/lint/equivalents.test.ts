import t from 'tap'
import { createValidator } from '../../src/lib/validator.ts'
import { v2 } from '../../src/wire/v2/wire.ts'
import { id } from '../support/helper.ts'
import { current, lintOf, shopOf, v1 } from './shop.ts'

/** The same request in v2. */

const number = '260763456789'

t.test('the same request in v2', async (t) => {
  const depositId = id()
  const shop = await shopOf(t)
  const { call } = shop
  const deposit = { ...v1('deposit'), depositId }
  const translations: Array<[method: string, path: string, body: any, want: object]> = [
    [
      'POST',
      '/deposits',
      { ...deposit, country: 'ZMB', preAuthorisationCode: '123456' },
      {
        method: 'POST',
        path: '/v2/deposits',
        body: {
          depositId,
          amount: '15',
          currency: 'ZMW',
          payer: { type: 'MMO', accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' } },
          preAuthorisationCode: '123456',
          customerMessage: 'Order 1234',
          metadata: [{ orderId: 'ORD-1' }, { customerId: 'c@example.com', isPII: true }]
        }
      }
    ],
    [
      'POST',
      '/payouts',
      { ...v1('payout'), payoutId: depositId, amount: 15 },
      {
        method: 'POST',
        path: '/v2/payouts',
        body: {
          payoutId: depositId,
          amount: '15',
          currency: 'ZMW',
          recipient: {
            type: 'MMO',
            accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' }
          },
          customerMessage: 'Order 1234',
          metadata: [{ orderId: 'ORD-1' }, { customerId: 'c@example.com', isPII: true }]
        }
      }
    ],
    [
      'POST',
      '/payouts/bulk',
      [{ ...v1('payout'), payoutId: depositId, metadata: null }],
      {
        method: 'POST',
        path: '/v2/payouts/bulk',
        body: [
          {
            payoutId: depositId,
            amount: '15',
            currency: 'ZMW',
            recipient: {
              type: 'MMO',
              accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' }
            },
            customerMessage: 'Order 1234'
          }
        ]
      }
    ],
    [
      'POST',
      '/refunds',
      { refundId: depositId, depositId, amount: '5' },
      {
        method: 'POST',
        path: '/v2/refunds',
        body: { refundId: depositId, depositId, amount: '5', currency: 'ZMW' }
      }
    ],
    [
      'POST',
      '/refunds',
      { refundId: depositId, depositId },
      { method: 'POST', path: '/v2/refunds', body: { refundId: depositId, depositId } }
    ],
    [
      'POST',
      '/refunds',
      { refundId: depositId, depositId: '11111111-1111-4111-8111-111111111111', amount: '5' },
      {
        method: 'POST',
        path: '/v2/refunds',
        body: {
          refundId: depositId,
          depositId: '11111111-1111-4111-8111-111111111111',
          amount: '5'
        },
        notes: ['add the currency of the deposit; v2 requires it with an amount']
      }
    ],
    [
      'GET',
      `/deposits/${depositId}`,
      undefined,
      { method: 'GET', path: `/v2/deposits/${depositId}` }
    ],
    [
      'POST',
      '/deposits/resend-callback',
      { depositId },
      { method: 'POST', path: `/v2/deposits/resend-callback/${depositId}` }
    ],
    [
      'POST',
      `/payouts/fail-enqueued/${depositId}`,
      undefined,
      { method: 'POST', path: `/v2/payouts/fail-enqueued/${depositId}` }
    ],
    ['GET', '/active-conf', undefined, { method: 'GET', path: '/v2/active-conf' }],
    ['GET', '/availability', undefined, { method: 'GET', path: '/v2/availability' }],
    ['GET', '/v1/wallet-balances', undefined, { method: 'GET', path: '/v2/wallet-balances' }],
    [
      'GET',
      '/v1/wallet-balances/ZMB',
      undefined,
      { method: 'GET', path: '/v2/wallet-balances?country=ZMB' }
    ],
    ['GET', '/public-key/http', undefined, { method: 'GET', path: '/v2/public-key/http' }],
    [
      'POST',
      '/v1/predict-correspondent',
      { msisdn: number },
      { method: 'POST', path: '/v2/predict-provider', body: { phoneNumber: number } }
    ],
    [
      'POST',
      '/v1/widget/sessions',
      {
        depositId,
        returnUrl: 'https://shop.example/',
        amount: '15',
        country: 'ZMB',
        msisdn: number,
        statementDescription: 'Order 1234'
      },
      {
        method: 'POST',
        path: '/v2/paymentpage',
        body: {
          depositId,
          returnUrl: 'https://shop.example/',
          customerMessage: 'Order 1234',
          amountDetails: { amount: '15', currency: 'ZMW' },
          phoneNumber: number,
          country: 'ZMB'
        }
      }
    ],
    [
      'POST',
      '/v1/widget/sessions',
      { depositId, returnUrl: 'https://shop.example/', amount: '15' },
      {
        method: 'POST',
        path: '/v2/paymentpage',
        body: { depositId, returnUrl: 'https://shop.example/', amountDetails: { amount: '15' } },
        notes: [
          'add the country or the phoneNumber; v2 requires one of them with an amount',
          'add amountDetails.currency; v2 requires it with an amount'
        ]
      }
    ],
    [
      'POST',
      '/v1/widget/sessions',
      { depositId, returnUrl: 'https://shop.example/', amount: '15', msisdn: number },
      {
        method: 'POST',
        path: '/v2/paymentpage',
        body: {
          depositId,
          returnUrl: 'https://shop.example/',
          amountDetails: { amount: '15' },
          phoneNumber: number
        },
        notes: ['add amountDetails.currency; v2 requires it with an amount']
      }
    ],
    [
      'POST',
      '/deposits',
      { depositId },
      {
        method: 'POST',
        path: '/v2/deposits',
        notes: [
          'the body is not a valid v1 body, so it cannot be translated: without payer, amount, ' +
            'currency, correspondent, customerTimestamp, statementDescription'
        ]
      }
    ],
    [
      'POST',
      '/v2/deposits',
      deposit,
      {
        method: 'POST',
        path: '/v2/deposits',
        body: {
          depositId,
          amount: '15',
          currency: 'ZMW',
          payer: { type: 'MMO', accountDetails: { phoneNumber: number, provider: 'MTN_MOMO_ZMB' } },
          customerMessage: 'Order 1234',
          metadata: [{ orderId: 'ORD-1' }, { customerId: 'c@example.com', isPII: true }]
        }
      }
    ],
    [
      'POST',
      '/deposits',
      { ...current('deposit'), depositId },
      { method: 'POST', path: '/v2/deposits', body: { ...current('deposit'), depositId } }
    ],
    [
      'DELETE',
      `/v2/payouts/fail-enqueued/${depositId}`,
      undefined,
      { method: 'POST', path: `/v2/payouts/fail-enqueued/${depositId}` }
    ],
    [
      'GET',
      `/v2/refunds/resend-callback/${depositId}`,
      undefined,
      { method: 'POST', path: `/v2/refunds/resend-callback/${depositId}` }
    ],
    [
      'POST',
      `/v2/payouts/${depositId}/resend-callback`,
      undefined,
      { method: 'POST', path: `/v2/payouts/resend-callback/${depositId}` }
    ],
    [
      'POST',
      '/refund/resend-callback',
      { refundId: depositId },
      { method: 'POST', path: `/v2/refunds/resend-callback/${depositId}` }
    ],
    [
      'GET',
      '/v2/predict-provider',
      undefined,
      {
        method: 'POST',
        path: '/v2/predict-provider',
        notes: ['send the number in the body: { "phoneNumber": … }']
      }
    ],
    ['POST', '/v2/widget/sessions', undefined, { method: 'POST', path: '/v2/paymentpage' }],
    ['GET', '/public-key/https', undefined, { method: 'GET', path: '/v2/public-key/http' }],
    ['GET', '/v2/active-configuration', undefined, { method: 'GET', path: '/v2/active-conf' }],
    [
      'GET',
      `/v1/deposits/${depositId}`,
      undefined,
      { method: 'GET', path: `/v2/deposits/${depositId}` }
    ]
  ]
  for (const [method, path, body, want] of translations) {
    await call('DELETE', '/__admin/requests')
    await call('POST', '/v2/deposits', { ...current('deposit'), depositId })
    await call(method, path, body)
    const {
      findings: [{ request, equivalent }]
    } = await lintOf(shop)
    t.strictSame([request.method, request.url, request.body], [method, path, body])
    t.strictSame(equivalent, want, `${method} ${path}`)
    const [, kind] = /^\/v2\/(deposit|payout|refund)s$/.exec(equivalent.path) ?? []
    if (equivalent.body !== undefined && kind !== undefined && equivalent.notes === undefined) {
      t.same(
        createValidator(v2.codecs[kind as 'deposit']!.request).all(equivalent.body),
        [],
        'v2 takes it'
      )
    }
  }
})
