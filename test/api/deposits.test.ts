import t from 'tap'
import { build, id, receiver, testStart } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { but, prefix, requests } from '../support/examples.ts'

const make = { v1: requests.v1.deposit!, v2: requests.v2.deposit! }
const versions = ['v1', 'v2'] as const
const created = '2026-01-31T12:00:00Z'

t.test('a deposit is accepted once and can be read in v1 and v2', async (t) => {
  for (const version of versions) {
    const { call } = await openSandbox(t, { start: testStart })
    const body = make[version]()
    const { depositId } = body
    const path = `${prefix[version]}/deposits`
    const first = await call('POST', path, body)
    t.equal(first.status, 200)
    t.match(first.headers['content-type'], /^application\/json/)
    t.strictSame(first.body, {
      depositId,
      status: 'ACCEPTED',
      ...(version === 'v2' && { nextStep: 'FINAL_STATUS' }),
      created
    })
    t.strictSame((await call('POST', path, body)).body, {
      depositId,
      status: 'DUPLICATE_IGNORED',
      created
    })
    t.strictSame(
      (await call('POST', path, but(but(body, 'amount', '0'), 'currency', 'USD'))).body.status,
      'DUPLICATE_IGNORED',
      'whatever else it says'
    )
    t.strictSame((await call('GET', `/v2/deposits/${depositId}`)).body, {
      status: 'FOUND',
      data: {
        depositId,
        status: 'ACCEPTED',
        amount: '15.00',
        currency: 'ZMW',
        country: 'ZMB',
        payer: {
          type: 'MMO',
          accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
        },
        customerMessage: 'Order 1234',
        ...(version === 'v2' && { clientReferenceId: 'INV-1' }),
        created,
        metadata: { orderId: 'ORD-1', customerId: 'c@example.com' }
      }
    })
    t.strictSame((await call('GET', `/deposits/${depositId}`)).body, [
      {
        depositId,
        status: 'ACCEPTED',
        requestedAmount: '15.00',
        currency: 'ZMW',
        country: 'ZMB',
        correspondent: 'MTN_MOMO_ZMB',
        payer: { type: 'MSISDN', address: { value: '260763456789' } },
        statementDescription: 'Order 1234',
        customerTimestamp: version === 'v1' ? '2026-01-31T11:59:59Z' : created,
        created,
        metadata: { orderId: 'ORD-1', customerId: 'c@example.com' }
      }
    ])
  }
})

t.test('an unknown deposit is not found', async (t) => {
  const { call } = await openSandbox(t)
  t.strictSame((await call('GET', `/v2/deposits/${id()}`)).body, { status: 'NOT_FOUND' })
  t.strictSame((await call('GET', `/deposits/${id()}`)).body, [])
})

t.test('an identifier is accepted once under any concurrency', async (t) => {
  const { call } = await openSandbox(t)
  const bodies = { v1: make.v1(), v2: make.v2() }
  bodies.v1.depositId = bodies.v2.depositId
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => {
      const version = versions[n % 2]
      return call('POST', `${prefix[version]}/deposits`, bodies[version])
    })
  )
  const statuses = answers.map(({ body }) => body.status)
  t.equal(statuses.filter((status) => status === 'ACCEPTED').length, 1)
  t.equal(statuses.filter((status) => status === 'DUPLICATE_IGNORED').length, 99)
  t.equal(new Set(answers.map(({ body }) => body.created)).size, 1)
})

t.test('upper and lower case are the same identifier, and answers repeat its case', async (t) => {
  const { call } = await openSandbox(t)
  const body = make.v2()
  const shouted = body.depositId.toUpperCase()
  await call('POST', '/v2/deposits', body)
  t.match((await call('POST', '/v2/deposits', but(body, 'depositId', shouted))).body, {
    depositId: shouted,
    status: 'DUPLICATE_IGNORED'
  })
  t.equal((await call('GET', `/v2/deposits/${shouted}`)).body.data.depositId, body.depositId)
})

t.test('a rejected request leaves its identifier free', async (t) => {
  const { call } = await openSandbox(t)
  const body = make.v2()
  t.equal(
    (await call('POST', '/v2/deposits', but(body, 'amount', '1000000'))).body.status,
    'REJECTED'
  )
  t.equal((await call('POST', '/v2/deposits', body)).body.status, 'ACCEPTED')
})

/** Invalid requests, and the answers of v2 and v1. */
const wrongs: Array<
  [
    name: string,
    change: Record<'v1' | 'v2', [path: string, value?: unknown]>,
    v2: [number, string, string | RegExp],
    v1: [number, number | string]
  ]
> = [
  // missing
  ...(['depositId', 'amount', 'currency', 'payer'] as const).map(
    (field): (typeof wrongs)[number] => [
      `no ${field}`,
      { v1: [field], v2: [field] },
      [400, 'MISSING_PARAMETER', field],
      [400, 1]
    ]
  ),
  [
    'no provider',
    { v1: ['correspondent'], v2: ['payer.accountDetails.provider'] },
    [400, 'MISSING_PARAMETER', 'payer.accountDetails.provider'],
    [400, 1]
  ],
  [
    'no phone number',
    { v1: ['payer.address.value'], v2: ['payer.accountDetails.phoneNumber'] },
    [400, 'MISSING_PARAMETER', 'payer.accountDetails.phoneNumber'],
    [400, 1]
  ],
  // wrong form
  ...[
    null,
    5,
    'x',
    '',
    'f4401bd2',
    `${'f'.repeat(37)}`,
    'f4401bd2-1568-1140-bf2d-eb77d2b2b639',
    [[[[]]]],
    {}
  ].map((value): (typeof wrongs)[number] => [
    `depositId ${JSON.stringify(value)}`,
    { v1: ['depositId', value], v2: ['depositId', value] },
    [400, 'INVALID_PARAMETER', 'depositId'],
    [400, 1]
  ]),
  ...[
    '5.',
    '.5',
    '00.5',
    '-5',
    '+5',
    '05',
    '',
    '1'.repeat(19),
    '1.00000',
    '1,5',
    '1e3',
    ' 5',
    '5 ',
    '٣',
    null,
    true,
    {}
  ].map((value): (typeof wrongs)[number] => [
    `amount ${JSON.stringify(value)}`,
    { v1: ['amount', value], v2: ['amount', value] },
    [400, 'INVALID_PARAMETER', 'amount'],
    [400, 1]
  ]),
  [
    'amount of 24 characters',
    { v1: ['amount', '123456789012345678.00000'], v2: ['amount', '123456789012345678.00000'] },
    [400, 'INVALID_PARAMETER', 'amount'],
    [400, 1]
  ],
  ...['zmw', 'ZM', 'ZMWW', '', 5].map((value): (typeof wrongs)[number] => [
    `currency ${JSON.stringify(value)}`,
    { v1: ['currency', value], v2: ['currency', value] },
    [400, 'INVALID_PARAMETER', 'currency'],
    [400, 1]
  ]),
  [
    'payer of another type',
    { v1: ['payer.type', 'MMO'], v2: ['payer.type', 'MSISDN'] },
    [400, 'INVALID_PARAMETER', 'payer.type'],
    [400, 1]
  ],
  [
    'payer a string',
    { v1: ['payer', 'x'], v2: ['payer', 'x'] },
    [400, 'INVALID_PARAMETER', 'payer'],
    [400, 1]
  ],
  ...['abc', 'a'.repeat(23), 'Order #12', 'Café', '    \n'].map(
    (value): (typeof wrongs)[number] => [
      `message ${JSON.stringify(value)}`,
      { v1: ['statementDescription', value], v2: ['customerMessage', value] },
      [400, 'INVALID_PARAMETER', 'customerMessage'],
      [400, 1]
    ]
  ),
  [
    'eleven metadata entries',
    {
      v1: [
        'metadata',
        Array.from({ length: 11 }, (_, n) => ({ fieldName: `n${n}`, fieldValue: 'x' }))
      ],
      v2: ['metadata', Array.from({ length: 11 }, (_, n) => ({ [`n${n}`]: 'x' }))]
    },
    [400, 'INVALID_PARAMETER', 'metadata'],
    [400, 1]
  ],
  [
    'metadata value a number',
    { v1: ['metadata', [{ fieldName: 'a', fieldValue: 1 }]], v2: ['metadata', [{ a: 1 }]] },
    [400, 'INVALID_PARAMETER', 'metadata.0.a'],
    [400, 1]
  ],
  [
    'metadata an object',
    { v1: ['metadata', { a: 'b' }], v2: ['metadata', { a: 'b' }] },
    [400, 'INVALID_PARAMETER', 'metadata'],
    [400, 1]
  ],
  [
    'a metadata name without a letter',
    { v1: ['metadata', [{ fieldName: '', fieldValue: 'x' }]], v2: ['metadata', [{ '': 'x' }]] },
    [400, 'INVALID_PARAMETER', 'metadata.0'],
    [400, 1]
  ],
  [
    'a metadata name twice',
    {
      v1: [
        'metadata',
        [
          { fieldName: 'a', fieldValue: '1' },
          { fieldName: 'a', fieldValue: '2' }
        ]
      ],
      v2: ['metadata', [{ a: '1' }, { a: '2' }]]
    },
    [400, 'DUPLICATE_METADATA_FIELD', "'a'"],
    [400, 1]
  ],
  [
    'entries of the other version',
    {
      v1: ['metadata', [{ a: '1' }]],
      v2: [
        'metadata',
        [
          { fieldName: 'a', fieldValue: '1' },
          { fieldName: 'b', fieldValue: '2' }
        ]
      ]
    },
    [400, 'DUPLICATE_METADATA_FIELD', "'fieldValue'"],
    [400, 1]
  ],
  // the rule of the provider
  [
    'unknown provider',
    { v1: ['correspondent', 'NOPE_ZMB'], v2: ['payer.accountDetails.provider', 'NOPE_ZMB'] },
    [400, 'INVALID_PARAMETER', /provider 'NOPE_ZMB'/],
    [200, 'INVALID_CORRESPONDENT']
  ],
  ...[
    '0763456789',
    '+260763456789',
    '26076345678',
    '2607634567890',
    '260 763456789',
    '255763456789',
    'abc'
  ].map((value): (typeof wrongs)[number] => [
    `phone number ${value}`,
    { v1: ['payer.address.value', value], v2: ['payer.accountDetails.phoneNumber', value] },
    [200, 'INVALID_PHONE_NUMBER', 'phoneNumber'],
    [200, 'INVALID_PAYER_FORMAT']
  ]),
  [
    'a currency it does not take',
    { v1: ['currency', 'USD'], v2: ['currency', 'USD'] },
    [200, 'INVALID_CURRENCY', "'USD'"],
    [200, 'INVALID_CURRENCY']
  ],
  [
    'too many decimals',
    { v1: ['amount', '5.555'], v2: ['amount', '5.555'] },
    [200, 'INVALID_AMOUNT', "'5.555'"],
    [200, 'INVALID_AMOUNT']
  ],
  [
    'too many decimals, zeroes',
    { v1: ['amount', '5.000'], v2: ['amount', '5.000'] },
    [200, 'INVALID_AMOUNT', "'5.000'"],
    [200, 'INVALID_AMOUNT']
  ],
  [
    'below the minimum',
    { v1: ['amount', '0'], v2: ['amount', '0'] },
    [200, 'AMOUNT_OUT_OF_BOUNDS', 'minimum of 1 ZMW'],
    [200, 'AMOUNT_TOO_SMALL']
  ],
  [
    'above the maximum',
    { v1: ['amount', '20000.01'], v2: ['amount', '20000.01'] },
    [200, 'AMOUNT_OUT_OF_BOUNDS', 'maximum of 20000 ZMW'],
    [200, 'AMOUNT_TOO_LARGE']
  ],
  [
    'far above it',
    { v1: ['amount', '999999999999999999'], v2: ['amount', '999999999999999999'] },
    [200, 'AMOUNT_OUT_OF_BOUNDS', 'maximum'],
    [200, 'AMOUNT_TOO_LARGE']
  ]
]

t.test('a wrong request gets a message with the field and changes nothing', async (t) => {
  const { call } = await openSandbox(t)
  for (const [name, change, [status, code, says], [earlierStatus, earlierCode]] of wrongs) {
    const current = make.v2()
    const body = but(current, ...change.v2)
    const answer = await call('POST', '/v2/deposits', body)
    t.equal(answer.status, status, name)
    t.match(
      answer.body,
      { status: 'REJECTED', failureReason: { failureCode: code, failureMessage: says } },
      name
    )
    t.equal(
      answer.body.depositId,
      typeof body.depositId === 'string' ? body.depositId.slice(0, 36) : undefined,
      `${name}: echoes the id`
    )
    t.notOk('created' in answer.body, name)
    t.strictSame(
      (await call('GET', `/v2/deposits/${current.depositId}`)).body,
      { status: 'NOT_FOUND' },
      name
    )

    const earlier = make.v1()
    const rejected = await call('POST', '/deposits', but(earlier, ...change.v1))
    t.equal(rejected.status, earlierStatus, `earlier: ${name}`)
    if (typeof earlierCode === 'number') {
      t.match(
        rejected.body,
        { errorId: /^[0-9a-f-]{36}$/, errorCode: earlierCode, errorMessage: /\w/ },
        `earlier: ${name}`
      )
    } else {
      t.match(
        rejected.body,
        {
          depositId: earlier.depositId,
          status: 'REJECTED',
          rejectionReason: { rejectionCode: earlierCode, rejectionMessage: /\w/ }
        },
        `earlier: ${name}`
      )
    }
    t.strictSame((await call('GET', `/deposits/${earlier.depositId}`)).body, [], `earlier: ${name}`)
  }
})

t.test('only v2 refuses unknown fields', async (t) => {
  const { call } = await openSandbox(t)
  for (const [path, says] of [
    ['amout', /amout .*did you mean amount\?/],
    ['payer.name', /payer\.name/],
    ['payer.accountDetails.pin', /payer\.accountDetails\.pin/],
    ['__proto__x', /__proto__x/]
  ] as const) {
    t.match(
      await call('POST', '/v2/deposits', but(make.v2(), path, 'x')),
      {
        status: 400,
        body: {
          status: 'REJECTED',
          failureReason: { failureCode: 'UNSUPPORTED_PARAMETER', failureMessage: says }
        }
      },
      path
    )
  }
  t.match(
    (
      await call(
        'POST',
        '/v2/deposits',
        JSON.stringify(make.v2()).replace('{', '{"__proto__":{"a":1},')
      )
    ).body,
    { failureReason: { failureCode: 'UNSUPPORTED_PARAMETER' } }
  )
  t.equal((await call('POST', '/deposits', but(make.v1(), 'extra', 'x'))).body.status, 'ACCEPTED')
})

t.test('a metadata entry without a name, or without a text, is refused', async (t) => {
  const { call } = await openSandbox(t)
  for (const entry of [{ isPII: true }, {}, { '': 'x' }, { isPII: 'yes', a: '1' }, { a: 1 }]) {
    t.match(
      await call('POST', '/v2/deposits', but(make.v2(), 'metadata', [entry])),
      {
        status: 400,
        body: { failureReason: { failureCode: 'INVALID_PARAMETER', failureMessage: /metadata\.0/ } }
      },
      JSON.stringify(entry)
    )
  }
})

t.test('of a metadata entry with several names the last one counts, with a note', async (t) => {
  const { call } = await openSandbox(t)
  const rows: Array<[entries: object[], kept: object, noted?: string]> = [
    [[{ a: '1', b: '2' }], { b: '2' }, 'write [{"a":"1"},{"b":"2"}]'],
    [
      [{ a: '1', b: '2', isPII: true }],
      { b: '2' },
      '\'b\', is kept; in v2, write [{"a":"1","isPII":true},{"b":"2","isPII":true}]'
    ],
    [[{ a: '1', isPII: true, b: '2', c: '3' }], { c: '3' }, 'metadata.0 has 3 names'],
    [[{ fieldName: 'order', fieldValue: '17' }], { fieldValue: '17' }, 'write {"order":"17"}'],
    [[{ a: '1' }, { b: '2', c: '3' }], { a: '1', c: '3' }, 'metadata.1 has 2 names'],
    [[{ a: '1', isPII: true }], { a: '1' }]
  ]
  for (const [metadata, kept, noted] of rows) {
    const body = but(make.v2(), 'metadata', metadata)
    const title = JSON.stringify(metadata)
    t.match(await call('POST', '/v2/deposits', body), { status: 200 }, title)
    const { data } = (await call('GET', `/v2/deposits/${body.depositId}`)).body
    t.strictSame(data.metadata, kept, title)
    const [, entry] = (await call('GET', `/__admin/requests?payment=${body.depositId}`)).body
      .requests
    if (noted === undefined) t.notOk(entry.notes, title)
    else t.match(entry.notes, [noted], title)
  }
})

t.test('input that real clients send is accepted', async (t) => {
  const { call } = await openSandbox(t)
  const odd: Array<['v1' | 'v2', string, unknown?]> = [
    ['v2', 'metadata', null],
    ['v2', 'metadata', []],
    ['v2', 'metadata'],
    ['v2', 'preAuthorisationCode', null],
    ['v2', 'preAuthorisationCode', ''],
    ['v2', 'clientReferenceId', ''],
    ['v2', 'clientReferenceId', null],
    ['v2', 'customerMessage', null],
    ['v2', 'customerMessage'],
    ['v2', 'metadata', [{ a: 'b', isPII: false }]],
    ['v2', 'amount', '15.00'],
    ['v2', 'amount', '15.0'],
    ['v2', 'amount', '15.5'],
    ['v2', 'metadata', [{ ['__proto__' as string]: 'x' }]],
    ['v1', 'metadata', null],
    ['v1', 'metadata', []],
    ['v1', 'metadata'],
    ['v1', 'amount', 15],
    ['v1', 'amount', 15.5],
    ['v1', 'country', 'ZMB'],
    ['v1', 'country', null],
    ['v1', 'preAuthorisationCode', null],
    ['v1', 'preAuthorisationCode', ''],
    ...[
      '2026-01-31T11:59:59.123Z',
      '2026-01-31T11:59:59.123456789Z',
      '2026-01-31T11:59:59+00:00'
    ].map((time): ['v1', string, string] => ['v1', 'customerTimestamp', time])
  ]
  for (const [version, path, value] of odd) {
    const body = but(make[version](), path, value)
    t.match(
      await call('POST', `${prefix[version]}/deposits`, body),
      { status: 200, body: { status: 'ACCEPTED' } },
      `${version} ${path} ${JSON.stringify(value)}`
    )
    const { data } = (await call('GET', `/v2/deposits/${body.depositId}`)).body
    if (
      path === 'metadata' &&
      (value === null || value === undefined || (value as unknown[]).length === 0)
    ) {
      t.notOk('metadata' in data, 'no empty metadata')
    }
    if (path === 'amount') t.equal(data.amount, Number(value).toFixed(2), 'two decimals')
    if (path === 'customerMessage') t.equal(data.customerMessage, 'Momock Demo Shop')
  }
  const headers = { 'content-type': 'application/json; charset=UTF-8' }
  t.equal((await call('POST', '/v2/deposits', make.v2(), headers)).body.status, 'ACCEPTED')
  t.match(
    (await call('GET', `/v2/deposits/${id()}`, undefined, { 'content-type': 'application/json' }))
      .body,
    { status: 'NOT_FOUND' }
  )
  t.equal(
    (await call('POST', '//v2//deposits', make.v2())).body.status,
    'ACCEPTED',
    'a base address that ends with a slash'
  )
})

t.test('the country of a v1 request must be the country of the correspondent', async (t) => {
  const { call } = await openSandbox(t)
  t.match((await call('POST', '/deposits', but(make.v1(), 'country', 'UGA'))).body, {
    status: 'REJECTED',
    rejectionReason: { rejectionCode: 'INVALID_COUNTRY' }
  })
  t.match(await call('POST', '/deposits', but(make.v1(), 'customerTimestamp', 'yesterday')), {
    status: 400,
    body: { errorCode: 1, errorMessage: /customerTimestamp/ }
  })
})

t.test('a provider without decimals refuses any, zeroes too', async (t) => {
  const { call } = await openSandbox(t)
  const rwanda = { phoneNumber: '250783456789', provider: 'MTN_MOMO_RWA' }
  const bodies = {
    v1: but(
      but(but(make.v1(), 'currency', 'RWF'), 'correspondent', rwanda.provider),
      'payer.address.value',
      rwanda.phoneNumber
    ),
    v2: but(but(make.v2(), 'currency', 'RWF'), 'payer.accountDetails', rwanda)
  }
  const rows: Array<[amount: string, status: string]> = [
    ['500', 'ACCEPTED'],
    ['500.0', 'REJECTED'],
    ['500.00', 'REJECTED'],
    ['500.50', 'REJECTED']
  ]
  for (const version of ['v1', 'v2'] as const) {
    for (const [amount, status] of rows) {
      const body = but(but(bodies[version], 'amount', amount), 'depositId', id())
      const answer = await call('POST', `${prefix[version]}/deposits`, body)
      t.match(answer, { status: 200, body: { status } }, `${version} ${amount}`)
      if (status === 'REJECTED') t.match(JSON.stringify(answer.body), '"INVALID_AMOUNT"')
    }
  }
})

t.test('the authorisation fields of a provider are required', async (t) => {
  const { call } = await openSandbox(t)
  const orange = but(
    but(but(make.v2(), 'currency', 'XOF'), 'payer.accountDetails', {
      phoneNumber: '22607345678',
      provider: 'ORANGE_BFA'
    }),
    'amount',
    '500'
  )
  for (const code of [undefined, null, '']) {
    t.match(await call('POST', '/v2/deposits', but(orange, 'preAuthorisationCode', code)), {
      status: 400,
      body: {
        depositId: orange.depositId,
        failureReason: {
          failureCode: 'MISSING_PARAMETER',
          failureMessage: /preAuthorisationCode/
        }
      }
    })
  }
  t.equal(
    (await call('POST', '/v2/deposits', but(orange, 'preAuthorisationCode', '123456'))).body.status,
    'ACCEPTED'
  )
  const wave = but(
    but(but(make.v2(), 'currency', 'XOF'), 'payer.accountDetails', {
      phoneNumber: '221773456789',
      provider: 'WAVE_SEN'
    }),
    'amount',
    '500'
  )
  t.match((await call('POST', '/v2/deposits', wave)).body, {
    failureReason: { failureCode: 'MISSING_PARAMETER', failureMessage: /successfulUrl/ }
  })
  t.match(
    (await call('POST', '/v2/deposits', but(wave, 'successfulUrl', 'javascript:alert(1)'))).body,
    { failureReason: { failureCode: 'INVALID_PARAMETER' } }
  )
  t.equal(
    (
      await call(
        'POST',
        '/v2/deposits',
        but(
          but(wave, 'successfulUrl', 'https://shop.example/ok'),
          'failedUrl',
          'https://shop.example/no'
        )
      )
    ).body.status,
    'ACCEPTED'
  )
})

t.test('the operations and providers of an account are checked', async (t) => {
  const { call } = await build(t, {
    accounts: [
      { name: 'few', tokens: [{ token: 'few' }], providers: ['MTN_MOMO_ZMB', 'RWA'] },
      { name: 'payer', tokens: [{ token: 'payer' }], operations: ['PAYOUT'] },
      {
        name: 'narrow',
        tokens: [{ token: 'narrow' }],
        providers: [{ provider: 'MTN_MOMO_ZMB', operations: ['PAYOUT'] }]
      },
      {
        name: 'exact',
        tokens: [{ token: 'exact' }],
        providers: ['ZMB', { provider: 'MTN_MOMO_ZMB', operations: ['PAYOUT'] }]
      }
    ]
  })
  const airtel = but(make.v2(), 'payer.accountDetails', {
    phoneNumber: '260973456789',
    provider: 'AIRTEL_OAPI_ZMB'
  })
  t.match(await call('POST', '/v2/deposits', airtel, { authorization: 'Bearer few' }), {
    status: 200,
    body: { status: 'REJECTED', failureReason: { failureCode: 'INVALID_PROVIDER' } }
  })
  t.equal(
    (await call('POST', '/v2/deposits', make.v2(), { authorization: 'Bearer few' })).body.status,
    'ACCEPTED'
  )
  t.equal(
    (await call('POST', '/v2/deposits', airtel, { authorization: 'Bearer exact' })).body.status,
    'ACCEPTED',
    'the row of the country is for its other providers'
  )
  for (const token of ['payer', 'narrow', 'exact']) {
    const body = make.v2()
    t.match(await call('POST', '/v2/deposits', body, { authorization: `Bearer ${token}` }), {
      status: 403,
      body: {
        depositId: body.depositId,
        status: 'REJECTED',
        failureReason: { failureCode: 'DEPOSITS_NOT_ALLOWED' }
      }
    })
    t.match(await call('POST', '/deposits', make.v1(), { authorization: `Bearer ${token}` }), {
      status: 200,
      body: { rejectionReason: { rejectionCode: 'DEPOSITS_NOT_ALLOWED' } }
    })
  }
})

t.test('a missing token is reported first, with the payment identifier', async (t) => {
  const { call } = await openSandbox(t)
  const refusals: Array<[header: string, status: number, code: string, number: number]> = [
    ['', 401, 'AUTHENTICATION_ERROR', 2],
    ['Bearer', 401, 'AUTHENTICATION_ERROR', 2],
    ['Bearer nobody', 401, 'AUTHENTICATION_ERROR', 2],
    ['Basic dGVzdA==', 401, 'AUTHENTICATION_ERROR', 2],
    ['test-token', 401, 'AUTHENTICATION_ERROR', 2],
    ['Bearer test-token-readonly', 403, 'AUTHORISATION_ERROR', 3]
  ]
  for (const [authorization, status, failureCode, errorCode] of refusals) {
    const body = make.v2()
    const { depositId } = body
    t.match(
      await call('POST', '/v2/deposits', body, { authorization }),
      {
        status,
        body: {
          depositId,
          status: 'REJECTED',
          failureReason: { failureCode, failureMessage: /\w/ }
        }
      },
      authorization
    )
    t.match(
      await call('POST', '/v2/deposits', '{ not json', { authorization }),
      { status, body: { status: 'REJECTED', failureReason: { failureCode } } },
      'before the body is read'
    )
    t.match(
      await call('POST', '/v2/deposits', 'x'.repeat(2 * 1024 * 1024), { authorization }),
      { status, body: { failureReason: { failureCode } } },
      'before its size'
    )
    t.match(
      await call('POST', '/deposits', make.v1(), { authorization }),
      { status, body: { errorCode, errorMessage: /\w/ } },
      authorization
    )
    if (status === 401) {
      t.match(
        await call('GET', `/v2/deposits/${depositId}`, undefined, { authorization }),
        { status, body: { depositId, status: 'REJECTED', failureReason: { failureCode } } },
        authorization
      )
      t.match(
        await call('GET', `/deposits/${depositId}`, undefined, { authorization }),
        { status, body: { errorCode } },
        authorization
      )
    } else {
      t.equal(
        (await call('GET', `/v2/deposits/${depositId}`, undefined, { authorization })).status,
        200
      )
    }
  }
  t.equal(
    (await call('GET', `/v2/deposits/${id()}`, undefined, { authorization: 'bearer test-token' }))
      .status,
    200
  )
})

t.test('a body that cannot be parsed is refused', async (t) => {
  const { call } = await openSandbox(t)
  const bodies: Array<
    [name: string, body: string | Buffer, headers: Record<string, string>, status: number]
  > = [
    ['not JSON', '{ depositId: 1 }', {}, 400],
    ['half a body', '{"depositId":', {}, 400],
    ['nothing', '', {}, 400],
    ['null', 'null', {}, 400],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), {}, 400],
    ['a form', 'depositId=1', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['plain text', '{}', { 'content-type': 'text/plain' }, 400],
    ['ten megabytes', JSON.stringify({ depositId: 'x'.repeat(10 * 1024 * 1024) }), {}, 413]
  ]
  for (const [name, body, headers, status] of bodies) {
    t.match(
      await call('POST', '/v2/deposits', body, headers),
      {
        status,
        body: {
          status: 'REJECTED',
          failureReason: { failureCode: 'INVALID_INPUT', failureMessage: /\w/ }
        }
      },
      name
    )
    t.match(
      await call('POST', '/deposits', body, headers),
      { status, body: { errorId: /-/, errorCode: 1, errorMessage: /\w/ } },
      name
    )
  }
})

t.test('a body with another shape is refused', async (t) => {
  const { call } = await openSandbox(t)
  for (const [name, body] of [
    ['a list', '[]'],
    ['nested lists', '['.repeat(60) + ']'.repeat(60)],
    ['a string', '"x"'],
    ['a number', '7']
  ]) {
    t.match(
      await call('POST', '/v2/deposits', body),
      {
        status: 400,
        body: {
          status: 'REJECTED',
          failureReason: { failureCode: 'INVALID_PARAMETER', failureMessage: /the body must be/ }
        }
      },
      name
    )
    t.match(
      await call('POST', '/deposits', body),
      { status: 400, body: { errorCode: 1, errorMessage: /the body must be/ } },
      name
    )
  }
})

t.test('an unknown path gets 404 with a hint', async (t) => {
  const { call } = await openSandbox(t)
  const depositId = id()
  for (const wrong of [
    'x',
    '123',
    'f'.repeat(37),
    'f'.repeat(5000),
    `${depositId}x`,
    encodeURIComponent('../etc')
  ]) {
    t.match(
      await call('GET', `/v2/deposits/${wrong}`),
      {
        status: 400,
        body: {
          status: 'REJECTED',
          failureReason: { failureCode: 'INVALID_PARAMETER', failureMessage: /depositId/ }
        }
      },
      wrong.slice(0, 40)
    )
    t.match(
      await call('GET', `/deposits/${wrong}`),
      { status: 400, body: { errorCode: 1, errorMessage: /depositId/ } },
      wrong.slice(0, 40)
    )
  }
  const hints: Array<[method: string, path: string, hint: string]> = [
    ['POST', '/v2/deposit', 'POST /v2/deposits'],
    ['PUT', '/v2/deposits', 'POST /v2/deposits'],
    ['GET', `/v2/deposits/status/${depositId}`, 'GET /v2/deposits/{depositId}'],
    ['DELETE', `/v2/deposits/${depositId}`, 'GET /v2/deposits/{depositId}']
  ]
  for (const [path, hint] of [
    ['/V2/deposits', 'POST /v2/deposits'],
    ['/v3/deposits', 'POST /v2/deposits']
  ]) {
    t.match(
      await call('POST', path),
      { status: 404, body: { errorCode: 1, errorMessage: `did you mean ${hint}?` } },
      path
    )
  }
  t.match(await call('GET', '/v2/health'), {
    status: 404,
    body: { failureReason: { failureMessage: 'did you mean GET /health?' } }
  })
  for (const [method, path, hint] of hints) {
    t.match(
      await call(method, path),
      {
        status: 404,
        body: {
          status: 'REJECTED',
          failureReason: { failureCode: 'NOT_FOUND', failureMessage: `did you mean ${hint}?` }
        }
      },
      path
    )
    t.match(
      await call(method, path.replace('/v2', '')),
      {
        status: 404,
        body: { errorCode: 1, errorMessage: `did you mean ${hint.replace('/v2', '')}?` }
      },
      path
    )
  }
  t.match(await call('GET', '/%zz'), { status: 400, body: { errorCode: 1 } })
  t.match(await call('GET', '/v2/%zz'), {
    status: 400,
    body: { failureReason: { failureCode: 'INVALID_INPUT' } }
  })
})

t.test('a deposit completes and calls back once, in the version of its request', async (t) => {
  for (const version of versions) {
    const merchant = await receiver(t)
    const { call } = await openSandbox(t, { callbackUrl: merchant.url })
    const body = make[version]()
    const arrived = merchant.next()
    await call('POST', `${prefix[version]}/deposits`, body)
    const callback = await arrived
    t.equal(callback.headers['content-type'], 'application/json; charset=UTF-8')
    const { data } = (await call('GET', `/v2/deposits/${body.depositId}`)).body
    t.match(data, { status: 'COMPLETED', providerTransactionId: /^[0-9a-f-]{36}$/ })
    const [earlier] = (await call('GET', `/deposits/${body.depositId}`)).body
    t.match(earlier, {
      status: 'COMPLETED',
      depositedAmount: '15.00',
      respondedByPayer: /Z$/,
      correspondentIds: { MTN_INIT: /\d/, MTN_FINAL: /\d/ }
    })
    t.strictSame(callback.body, version === 'v2' ? data : earlier)
    t.equal(merchant.received.length, 1)
  }
})

t.test('a test number decides the result of a deposit', async (t) => {
  const merchant = await receiver(t)
  const { call } = await openSandbox(t, { callbackUrl: merchant.url })
  const body = but(make.v2(), 'payer.accountDetails.phoneNumber', '260763456039')
  const arrived = merchant.next()
  await call('POST', '/v2/deposits', body)
  t.match((await arrived).body, {
    depositId: body.depositId,
    status: 'FAILED',
    failureReason: { failureCode: 'PAYMENT_NOT_APPROVED', failureMessage: /\w/ }
  })
  t.notOk(
    'providerTransactionId' in (await call('GET', `/v2/deposits/${body.depositId}`)).body.data
  )
  const other = but(make.v1(), 'payer.address.value', '260763456069')
  const second = merchant.next()
  await call('POST', '/deposits', other)
  t.match((await second).body, { status: 'FAILED', failureReason: { failureCode: 'OTHER_ERROR' } })
})
