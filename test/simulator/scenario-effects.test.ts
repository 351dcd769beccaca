import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { kinds } from '../../src/domain/kinds.ts'
import { loadScenarios } from '../../src/scenarios/scenario-files.ts'
import { but, requests } from '../support/examples.ts'
import { build, folder, id, testMachine, type Client } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** Effects of scenarios besides scripts and rejections. */

function writeScenarios (t: Test, files: Record<string, string>): string {
  const path = folder(t)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return path
}

/** Problems that the loader finds in files. */
async function problemsOf (t: Test, files: Record<string, string>): Promise<string[]> {
  const path = writeScenarios(t, files)
  return (await loadScenarios([path])).problems.map((problem) => problem.replace(`${path}/`, ''))
}

/** Server with these scenario files. */
async function staged (t: Test, files: Record<string, string>): Promise<Client> {
  return await build(t, { scenarios: writeScenarios(t, files) }, testMachine())
}

t.test('words of v1 are read as words of v2', async (t) => {
  const rows: Array<[yaml: string, place: string, word: string, meant: string, read: object]> = [
    [
      'script: [{ after: 1s, to: SUBMITTED }]',
      'script.0.to',
      'SUBMITTED',
      'PROCESSING',
      { effect: { steps: [{ after: 1000, to: 'PROCESSING' }] } }
    ],
    [
      'reject: CORRESPONDENT_TEMPORARILY_UNAVAILABLE',
      'reject',
      'CORRESPONDENT_TEMPORARILY_UNAVAILABLE',
      'PROVIDER_TEMPORARILY_UNAVAILABLE',
      { effect: { reject: 'PROVIDER_TEMPORARILY_UNAVAILABLE' } }
    ],
    [
      'when: { correspondent: MTN_MOMO_ZMB }\nreject: INVALID_AMOUNT',
      'when.correspondent',
      'correspondent',
      'provider',
      { when: { provider: 'MTN_MOMO_ZMB' } }
    ],
    [
      'when: { kind: payout, msisdn: "260763459993" }\nreject: INVALID_AMOUNT',
      'when.msisdn',
      'msisdn',
      'phoneNumber',
      { when: { phoneNumber: '260763459993' } }
    ],
    [
      'when: { kind: payout }\nscript: [{ after: 1s, to: FAILED, failureCode: ' +
        'BALANCE_INSUFFICIENT }]',
      'script.0.failureCode',
      'BALANCE_INSUFFICIENT',
      'PAWAPAY_WALLET_OUT_OF_FUNDS',
      { effect: { steps: [{ to: 'FAILED', failureCode: 'PAWAPAY_WALLET_OUT_OF_FUNDS' }] } }
    ]
  ]
  for (const [yaml, place, word, meant, read] of rows) {
    const path = writeScenarios(t, { 'one.yaml': yaml })
    const { scenarios, problems, notes } = await loadScenarios([path])
    t.strictSame(problems, [], yaml)
    t.match(scenarios, [read], yaml)
    t.strictSame(notes, [
      `${path}/one.yaml: ${place}: '${word}' is a word of v1; it is read as ${meant}`
    ])
  }
  const { call } = await openSandbox(t)
  t.match(
    await call('POST', '/__admin/scenarios', {
      name: 'slow',
      when: { correspondent: 'MTN_MOMO_ZMB' },
      script: [{ after: '1s', to: 'SUBMITTED' }]
    }),
    {
      status: 201,
      body: { when: { provider: 'MTN_MOMO_ZMB' }, script: [{ after: '1s', to: 'PROCESSING' }] }
    },
    'the answer shows the words of v2'
  )
})

t.test('problems with words of v1 name the word of v2', async (t) => {
  const rows: Array<[yaml: string, says: RegExp]> = [
    [
      'when: { kind: deposit }\nscript: [{ after: 0, to: SUBMITTED }, { after: 0, to: SUBMITTED }]',
      /a deposit cannot go from PROCESSING to PROCESSING/
    ],
    [
      'when: { kind: deposit }\nscript: [{ after: 0, to: FAILED, failureCode: ' +
        'BALANCE_INSUFFICIENT }]',
      /'PAWAPAY_WALLET_OUT_OF_FUNDS' is not a failure of a deposit/
    ],
    [
      'when: { correspondent: MTN_MOMO_ZMB, provider: MTN_MOMO_ZMB }\nreject: INVALID_AMOUNT',
      /'correspondent' is a word of v1; write provider/
    ],
    [
      'when: { kind: deposit }\nreject: AMOUNT_TOO_LARGE',
      /'AMOUNT_TOO_LARGE' is a word of v1; write AMOUNT_OUT_OF_BOUNDS/
    ]
  ]
  for (const [yaml, says] of rows) {
    t.match((await problemsOf(t, { 'one.yaml': yaml }))[0], says, yaml)
  }
})

t.test('OTHER_ERROR is a failure of every kind in both versions', async (t) => {
  const { call } = await staged(t, {
    'other.yaml': 'script: [{ after: 0, to: FAILED, failureCode: OTHER_ERROR }]'
  })
  await call('PUT', '/__admin/clock', { mode: 'frozen' })
  for (const name of ['deposit', 'payout', 'remittance'] as const) {
    const body = requests.v2[name]!()
    body[kinds[name].party].accountDetails.phoneNumber = '260763459993'
    await call('POST', `/v2/${kinds[name].path}`, body)
    await call('POST', '/__admin/clock/advance', { by: '1s' })
    const { data } = (await call('GET', `/v2/${kinds[name].path}/${body[kinds[name].idField]}`))
      .body
    t.match(data, { status: 'FAILED', failureReason: { failureCode: 'OTHER_ERROR' } }, name)
  }
})

t.test('a v1 deposit carries the suspiciousActivityReport of its scenario', async (t) => {
  const report = [{ activityType: 'AML', comment: 'Many payments in a short time' }]
  const { call } = await staged(t, {
    'report.yaml': `when: { kind: deposit }\nsuspiciousActivityReport: ${JSON.stringify(report)}`
  })
  const number = '260763459993'
  const first = but(requests.v1.deposit!(), 'payer.address.value', number)
  await call('POST', '/deposits', first)
  t.strictSame(
    (await call('GET', `/deposits/${first.depositId}`)).body[0].suspiciousActivityReport,
    report
  )
  const second = but(requests.v2.deposit!(), 'payer.accountDetails.phoneNumber', number)
  await call('POST', '/v2/deposits', second)
  const { data } = (await call('GET', `/v2/deposits/${second.depositId}`)).body
  t.notOk('suspiciousActivityReport' in data, 'v2 has no such field')
  t.match(
    await problemsOf(t, { 'all.yaml': `suspiciousActivityReport: ${JSON.stringify(report)}` }),
    [/only deposits have a suspiciousActivityReport; say when: { kind: deposit }/]
  )
})

t.test('a status check is answered with the status of the scenario', async (t) => {
  const { call } = await staged(t, { 'check.yaml': 'statusCheck: { status: 500, for: 5s }' })
  await call('PUT', '/__admin/clock', { mode: 'frozen' })
  for (const [version, path] of [
    ['v1', ''],
    ['v2', '/v2']
  ] as const) {
    const field = version === 'v1' ? 'payer.address.value' : 'payer.accountDetails.phoneNumber'
    const deposit = but(requests[version].deposit!(), field, '260763459993')
    t.match(await call('POST', `${path}/deposits`, deposit), { body: { status: 'ACCEPTED' } })
    const check = () => call('GET', `${path}/deposits/${deposit.depositId}`)
    t.equal((await check()).status, 500, version)
    t.match((await call('GET', `/__admin/payments/deposit/${deposit.depositId}`)).body, {
      status: 'ACCEPTED'
    })
    await call('POST', '/__admin/clock/advance', { by: '5s' })
    t.equal((await check()).status, 200, `${version}, 5 s later`)
  }
})

t.test('a checkout fails by a scenario, by a move and after its last attempt', async (t) => {
  const { call } = await staged(t, {
    'fail.yaml':
      'when: { kind: checkout, clientReferenceId: FAIL-1 }\n' +
      'script: [{ after: 2m, to: FAILED, failureCode: UNKNOWN_ERROR }]',
    'slow.yaml':
      'when: { kind: deposit }\n' +
      'script: [{ after: 1m, to: PROCESSING }, { after: 9m, to: FAILED, failureCode: ' +
      'PAYER_NOT_FOUND }]'
  })
  await call('PUT', '/__admin/clock', { mode: 'frozen' })
  const open = async (more: object = {}) => {
    const body = {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back',
      expiresAfter: 5,
      ...more
    }
    const { checkoutCode } = (await call('POST', '/v2/checkouts', body)).body
    return { id: body.checkoutId, code: checkoutCode as string }
  }
  const look = async (id: string) => (await call('GET', `/v2/checkouts/${id}`)).body.data

  const scripted = await open({ clientReferenceId: 'FAIL-1' })
  await call('POST', '/__admin/clock/advance', { by: '2m' })
  t.match(await look(scripted.id), {
    status: 'FAILED',
    failureReason: { failureCode: 'UNKNOWN_ERROR' }
  })

  const moved = await open()
  await call('POST', `/__admin/payments/checkout/${moved.id}/move`, { to: 'FAILED' })
  t.match(await look(moved.id), { status: 'FAILED' })
  t.match((await call('POST', `/v2/checkouts/${moved.id}/expire`)).body, { status: /./ })

  const tried = await open()
  const paid = await call('POST', `/checkout/${tried.code}/attempts`, {
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: '260763459993',
    currency: 'ZMW',
    amount: '15'
  })
  t.match(paid.body, { status: 'ACCEPTED' })
  await call('POST', '/__admin/clock/advance', { by: '6m' })
  t.match(await look(tried.id), { status: 'PROCESSING' }, 'the attempt is waited for')
  await call('POST', '/__admin/clock/advance', { by: '6m' })
  t.match(await look(tried.id), {
    status: 'FAILED',
    failureReason: { failureCode: 'PAYER_NOT_FOUND' }
  })
  t.match(await problemsOf(t, { 'c.yaml': 'when: { kind: checkout }\nreject: INVALID_AMOUNT' }), [
    /checkout/
  ])
})

t.test('a statement fails by a scenario', async (t) => {
  const { call } = await staged(t, {
    'fail.yaml':
      'when: { kind: statement, country: ZMB }\n' +
      'script: [{ after: 1s, to: FAILED, failureCode: UNKNOWN_ERROR }]'
  })
  await call('PUT', '/__admin/clock', { mode: 'frozen' })
  const ask = async (country: string, currency: string) => {
    const { body } = await call('POST', '/v2/statements', {
      wallet: { country, currency },
      callbackUrl: 'http://127.0.0.1:9/',
      startDate: '2026-01-01T00:00:00',
      endDate: '2026-01-31T00:00:00'
    })
    await call('POST', '/__admin/clock/advance', { by: '2s' })
    return (await call('GET', `/v2/statements/${body.statementId}`)).body
  }
  t.match(JSON.stringify(await ask('ZMB', 'ZMW')), /"status":"FAILED".*UNKNOWN_ERROR/)
  t.match(JSON.stringify(await ask('GHA', 'GHS')), /"status":"COMPLETED"/)
})
