import t from 'tap'
import { formRules } from '../../src/lint/form-rules.ts'
import { but } from '../support/examples.ts'
import { id } from '../support/helper.ts'
import { checkRules, type RuleRow } from './rule-rows.ts'
import { current, v1 } from './shop.ts'

/** Rules about the form of a request: requests that break them, and near misses. */

const rows: RuleRow[] = [
  [
    'an application that does all of it right',
    async ({ call, systemClock }) => {
      const deposit = current('deposit')
      await call('GET', '/v2/active-conf')
      await call('POST', '/v2/deposits', deposit)
      await call('POST', '/v2/deposits', deposit)
      for (let n = 0; n < 10; n++) {
        systemClock.time += 1000
        await call('GET', `/v2/deposits/${deposit.depositId}`)
      }
      await call('POST', '/v2/payouts/bulk', [current('payout'), current('payout')])
    },
    []
  ],
  [
    "names in metadata, which are the merchant's own",
    ({ call }) =>
      call('POST', '/v2/deposits', {
        ...current('deposit'),
        metadata: [{ correspondent: 'A' }, { provider: 'B' }, { msisdn: 'C' }, { amount: '1' }]
      }),
    []
  ],
  [
    'paths of v1',
    async ({ call }) => {
      const deposit = v1('deposit')
      await call('POST', '/deposits', deposit)
      await call('POST', '/deposits', v1('deposit'))
      await call('GET', `/deposits/${deposit.depositId}`)
    },
    [
      ['v1-path', 2, /^POST \/deposits is a v1 operation$/],
      ['v1-path', 1, /^GET \/deposits\/\{id\} is a v1 operation$/]
    ]
  ],
  [
    'a body of v1 on a path of v2',
    ({ call }) => call('POST', '/v2/deposits', v1('deposit')),
    [
      [
        'v1-body',
        1,
        'POST /v2/deposits has v1 fields: `correspondent`, `payer.type`, `payer.address`, ' +
          '`customerTimestamp`, `statementDescription`'
      ],
      ['metadata-names', 1, /metadata\.0 has 2 names/]
    ]
  ],
  [
    'a body of v2 on a path of v1',
    ({ call }) => call('POST', '/deposits', current('deposit')),
    [
      ['v1-path', 1, /./],
      ['v2-body', 1, /^POST \/deposits has a v2 body$/]
    ]
  ],
  [
    'paths that do not exist',
    async ({ call }) => {
      await call('DELETE', `/v2/payouts/fail-enqueued/${id()}`)
      await call('GET', '/v2/active-configuration')
    },
    [
      ['unknown-path', 1, /^DELETE \/v2\/payouts\/fail-enqueued\/\{id\} does not exist$/],
      ['unknown-path', 1, /^GET \/v2\/active-configuration does not exist$/]
    ]
  ],
  [
    'a field that v1 ignores',
    ({ call }) => call('POST', '/payouts', { ...v1('payout'), orderId: '17' }),
    [
      ['v1-path', 1, /./],
      ['ignored-field', 1, /^POST \/payouts has unknown fields: `orderId`$/]
    ]
  ],
  [
    'an amount that is a number',
    ({ call }) => call('POST', '/deposits', { ...v1('deposit'), amount: 15 }),
    [
      ['v1-path', 1, /./],
      ['number-amount', 1, /^POST \/deposits has a number as `amount`$/]
    ]
  ],
  [
    'provider codes that do not exist',
    async ({ call }) => {
      await call(
        'POST',
        '/v2/deposits',
        but(current('deposit'), 'payer.accountDetails.provider', 'MTN_MOMO_ZMV')
      )
      await call(
        'POST',
        '/v2/payouts',
        but(current('payout'), 'recipient.accountDetails.provider', 'NOBODY_AT_ALL_XYZ')
      )
    },
    [
      [
        'unknown-provider',
        1,
        /^`MTN_MOMO_ZMV`: no such provider; did you mean MTN_MOMO_ZMB\?$/
      ],
      ['unknown-provider', 1, /^`NOBODY_AT_ALL_XYZ`: no such provider/]
    ]
  ],
  [
    'a number with a plus',
    ({ call }) =>
      call(
        'POST',
        '/v2/deposits',
        but(current('deposit'), 'payer.accountDetails.phoneNumber', '+260 763 456 789')
      ),
    [
      [
        'phone-format',
        1,
        new RegExp(
          String.raw`^POST \/v2\/deposits has other characters than digits in ` +
            String.raw`\x60payer\.accountDetails\.phoneNumber\x60$`
        )
      ]
    ]
  ],
  [
    'a list of 21',
    ({ call }) =>
      call(
        'POST',
        '/v2/payouts/bulk',
        Array.from({ length: 21 }, () => current('payout'))
      ),
    [['large-bulk', 1, /^POST \/v2\/payouts\/bulk has 21 payments$/]]
  ],
  [
    'no token where v2 wants one',
    ({ app }) => app.http.inject('/availability'),
    [
      ['v1-path', 1, /./],
      ['missing-token', 1, /^GET \/availability has no Authorization header$/]
    ]
  ],
  [
    'zeroes where a provider takes no decimals',
    async ({ call }) => {
      const payer = {
        type: 'MMO',
        accountDetails: { phoneNumber: '250783456789', provider: 'MTN_MOMO_RWA' }
      }
      const body = () => ({ ...current('deposit'), currency: 'RWF', payer })
      await call('POST', '/v2/deposits', { ...body(), amount: '500.00' })
      await call('POST', '/v2/deposits', { ...body(), amount: '500' })
      await call('POST', '/v2/deposits', { ...current('deposit'), amount: '15.00' })
    },
    [['amount-decimals', 1, /^POST \/v2\/deposits has decimals in amount 500\.00$/]]
  ],
  [
    'zeroes on a payment page and a checkout where no provider takes decimals',
    async ({ call }) => {
      const returnUrl = 'https://shop.example/'
      for (const [country, currency, amount] of [
        ['RWA', 'RWF', '500.00'],
        ['RWA', 'RWF', '500'],
        ['ZMB', 'ZMW', '15.00']
      ]) {
        const amountDetails = { amount, currency }
        const page = { depositId: id(), returnUrl, country, amountDetails }
        await call('POST', '/v2/paymentpage', page)
        const amounts = [{ country, currency, amount }]
        await call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl, amounts })
      }
    },
    [
      ['amount-decimals', 1, /^POST \/v2\/paymentpage has decimals in amount 500\.00$/],
      ['amount-decimals', 1, /^POST \/v2\/checkouts has decimals in amount 500\.00$/]
    ]
  ],
  [
    'several names in an entry of metadata',
    async ({ call }) => {
      await call('POST', '/v2/deposits', { ...current('deposit'), metadata: [{ a: '1', b: '2' }] })
      await call('POST', '/v2/deposits', { ...current('deposit'), metadata: [{ a: '1' }] })
    },
    [['metadata-names', 1, /has 2 names, .* write \[\{"a":"1"\},\{"b":"2"\}\]$/]]
  ],
  [
    'a way back that a customer cannot open',
    async ({ call }) => {
      for (const returnUrl of ['http://localhost:3000/back', 'http://shop.example/back']) {
        await call('POST', '/v2/paymentpage', { depositId: id(), returnUrl })
      }
      await call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/' })
    },
    [
      ['return-url', 1, /the customer's own device/],
      ['return-url', 1, /returnUrl is not https/]
    ]
  ],
  [
    'a refund without a currency',
    async ({ call }) => {
      const { currency: _, ...refund } = current('refund') as Record<string, unknown>
      await call('POST', '/v2/refunds', refund)
      await call('POST', '/v2/refunds', { ...refund, refundId: id(), currency: 'ZMW' })
    },
    [['refund-currency', 1, /^POST \/v2\/refunds: the refund has no currency/]]
  ]
]

t.test('every rule about the form of a request', async (t) => await checkRules(t, formRules, rows))
