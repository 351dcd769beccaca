import t from 'tap'
import { conductRules } from '../../src/lint/conduct-rules.ts'
import { but } from '../support/examples.ts'
import { id } from '../support/helper.ts'
import { checkRules, type RuleRow } from './rule-rows.ts'
import { current } from './shop.ts'

/** Rules about conduct: sequences of requests that break them, and near misses. */

const signature = {
  signature: 'sig-pp=:AAAA:',
  'signature-input': 'sig-pp=("@method");keyid="k"',
  'content-digest': 'sha-256=:AAAA:'
}

const rows: RuleRow[] = [
  [
    'no signature where one is wanted',
    async ({ call }) => {
      await call('POST', '/v2/deposits', current('deposit'))
      await call('GET', `/v2/deposits/${id()}`)
      await call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/' })
    },
    [['unsigned-request', 1, /^POST \/v2\/deposits has no signature$/]],
    { accounts: [{ name: 'default', signedRequestsOnly: true }] }
  ],
  [
    'a signature that is not good',
    ({ call }) => call('POST', '/v2/deposits', current('deposit'), signature),
    [['bad-signature', 1, /^POST \/v2\/deposits: /]],
    { accounts: [{ name: 'default', signedRequestsOnly: true }] }
  ],
  [
    'a signature where none is wanted',
    ({ call }) => call('POST', '/v2/deposits', current('deposit'), signature),
    [['needless-signature', 1, /^POST \/v2\/deposits has a signature that is not verified$/]]
  ],
  [
    'a new identifier after a lost answer',
    async ({ call }) => {
      const deposit = current('deposit')
      await call('POST', '/__admin/scenarios', {
        name: 'once',
        when: { kind: 'deposit' },
        times: 1,
        http: { status: 503 }
      })
      await call('POST', '/v2/deposits', deposit)
      await call('POST', '/v2/deposits', { ...deposit, depositId: id() })
    },
    [
      [
        'new-id-after-lost-answer',
        1,
        'POST /v2/deposits repeats request 1 with a new identifier after a lost answer'
      ]
    ]
  ],
  [
    'the same identifier after a lost answer, and another order',
    async ({ call }) => {
      const deposit = current('deposit')
      await call('POST', '/__admin/scenarios', {
        name: 'once',
        when: { kind: 'deposit' },
        times: 1,
        http: { status: 503 }
      })
      await call('POST', '/v2/deposits', deposit)
      await call('POST', '/v2/deposits', { ...deposit, depositId: id(), amount: '16' })
      await call('GET', `/v2/deposits/${deposit.depositId}`)
      await call('POST', '/v2/deposits', { ...deposit, depositId: id() })
    },
    []
  ],
  [
    'a new identifier for the same order an hour later',
    async ({ call, systemClock }) => {
      const deposit = current('deposit')
      await call('POST', '/__admin/scenarios', {
        name: 'once',
        when: { kind: 'deposit' },
        times: 1,
        http: { status: 503 }
      })
      await call('POST', '/v2/deposits', deposit)
      systemClock.time += 60 * 60_000
      await call('POST', '/v2/deposits', { ...deposit, depositId: id() })
    },
    []
  ],
  [
    'an identifier for two payments',
    async ({ call }) => {
      const payout = current('payout')
      await call('POST', '/v2/payouts', payout)
      await call('POST', '/v2/payouts', { ...payout, amount: '16' })
    },
    [['reused-id', 1, /^POST \/v2\/payouts has the identifier of request 1 and another body$/]]
  ],
  [
    'a corrected request under the identifier that was rejected',
    async ({ call }) => {
      const payout = current('payout')
      await call('POST', '/v2/payouts', { ...payout, amount: '0.001' })
      await call('POST', '/v2/payouts', payout)
      await call('GET', `/v2/payouts/${payout.payoutId}`)
    },
    []
  ],
  [
    'a rejection that is not noticed',
    async ({ call }) => {
      const payout = current('payout')
      await call('POST', '/v2/payouts', { ...payout, amount: '0.001' })
      await call('GET', `/v2/payouts/${payout.payoutId}`)
      await call('POST', `/v2/payouts/resend-callback/${payout.payoutId}`)
    },
    [
      ['rejected-ignored', 1, /^GET \/v2\/payouts\/\{id\} is about a REJECTED payment$/],
      ['rejected-ignored', 1, /^POST \/v2\/payouts\/resend-callback\/\{id\}/]
    ]
  ],
  [
    'the same mistake again',
    async ({ call }) => {
      const deposit = but(current('deposit'), 'currency')
      for (let n = 0; n < 3; n++) await call('POST', '/v2/deposits', deposit)
      await call('POST', '/v2/deposits', but(current('deposit'), 'amount'))
    },
    [
      [
        'repeated-refusal',
        2,
        /^POST \/v2\/deposits was repeated without changes after the answer 400$/
      ]
    ]
  ],
  [
    'polling without a pause',
    async ({ call, systemClock }) => {
      const deposit = current('deposit')
      await call('POST', '/v2/deposits', deposit)
      for (let n = 0; n < 10; n++) {
        systemClock.time += 999
        await call('GET', `/v2/deposits/${deposit.depositId}`)
      }
    },
    [
      [
        'polling-too-fast',
        1,
        'GET /v2/deposits/{id} was sent more than 3 times for one payment, less than one ' +
          'second apart'
      ]
    ]
  ],
  [
    'many payments checked at once',
    async ({ call }) => {
      for (let n = 0; n < 10; n++) await call('GET', `/v2/deposits/${id()}`)
    },
    []
  ],
  [
    'a token in the address',
    ({ call }) => call('GET', '/v2/public-key/http?access_token=secret'),
    [['token-in-url', 1, /^GET \/v2\/public-key\/http has `access_token` in its URL$/]]
  ],
  [
    'a browser',
    ({ call }) => call('GET', '/v2/public-key/http', undefined, { origin: 'https://shop.example' }),
    [['browser-call', 1, /^GET \/v2\/public-key\/http was sent from a browser$/]]
  ]
]

t.test('every rule about conduct', async (t) => await checkRules(t, conductRules, rows))
