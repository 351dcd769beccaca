import t from 'tap'
import { form as post, good, html as get, pass, shop } from '../support/customers.ts'
import { build, id, type Mock } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** The form of the payment page and of the checkout, as a browser without scripts fills it in. */

const back = { returnUrl: 'https://shop.example/back' }
const html = async (mock: Mock, url: string): Promise<string> => (await get(mock, url)).body

/** Sends a form that is refused, and opens the page to which the answer leads. */
async function refused (
  mock: Mock,
  url: string,
  fields: Record<string, string>
): Promise<{ location: string; body: string }> {
  const { statusCode, headers } = await post(mock, url, fields)
  const location = String(headers.location)
  if (statusCode !== 303 || !location.includes('checked=true')) {
    throw new Error(`${url} answered ${statusCode} ${location}`)
  }
  const page = await get(mock, location)
  if (page.statusCode !== 200) throw new Error(`${location} answered ${page.statusCode}`)
  return { location, body: page.body }
}

/** Texts at the fields of a page. */
function problemsOf (body: string): Record<string, string> {
  return Object.fromEntries(
    [...body.matchAll(/<p class="wrong" id="(\w+)Problem">([^<]*)</g)].map(([, field, text]) => [
      field,
      text
    ])
  )
}

/** Text of the alert above a form. */
function alertOf (body: string): string {
  const [, text = ''] = /role="alert" id="problem">([\s\S]*?)<\/div>/.exec(body) ?? []
  return text.replace(/<[^>]*>/g, '').trim()
}

const pages: Array<
  [
    name: string,
    open: (mock: Mock, terms?: object) => Promise<string>,
    action: (page: string) => string
  ]
> = [
  [
    'payment page',
    async (mock, terms = {}) =>
      new URL(
        (await mock.call('POST', '/v2/paymentpage', { depositId: id(), ...back, ...terms })).body
          .redirectUrl
      ).pathname,
    (page) => page
  ],
  [
    'checkout',
    async (mock, terms = {}) =>
      new URL(
        (await mock.call('POST', '/v2/checkouts', { checkoutId: id(), ...back, ...terms })).body
          .redirectUrl
      ).pathname,
    (page) => `${page}/attempts`
  ]
]

/** Values of the form of a page. */
function fieldsOf (page: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [tag, name] of page.matchAll(/<input[^>]*?\sname="(\w+)"[^>]*>/g)) {
    const [, value = ''] = /value="([^"]*)"/.exec(tag) ?? []
    if (!tag.includes('type="radio"') || tag.includes('checked="checked"')) fields[name] = value
  }
  const [, country] = /<option value="(\w+)"\s+selected/.exec(page) ?? []
  return { ...fields, ...(country !== undefined && { country }) }
}

/** Address to which a button sends the values of a form. */
function pressed (page: string, button: RegExp, fields: Record<string, string>): string {
  const tag = [...page.matchAll(/<button[^>]*formmethod="get"[^>]*>/g)]
    .map(([tag]) => tag)
    .find((tag) => button.test(tag))!
  const [, address] = /formaction="([^"]*)"/.exec(tag)!
  const [, name, value] = /name="(\w+)"\s+value="([\w/]+)"/.exec(tag) ?? []
  const query = new URLSearchParams({ ...fields, ...(name !== undefined && { [name]: value }) })
  return `${address}?${query.toString()}`
}

for (const [name, open, action] of pages) {
  t.test(`${name}: entered values stay when language or country change`, async (t) => {
    const mock = await build(t)
    const page = await open(mock)
    const empty = await html(mock, `${page}?country=BFA`)
    const typed = {
      country: 'BFA',
      phoneNumber: '70 12',
      provider: 'ORANGE_BFA',
      amount: '12,5',
      preAuthorisationCode: '"123'
    }
    const shown = (fields: Record<string, string>): object => ({
      ...fields,
      preAuthorisationCode: fields.preAuthorisationCode.replace('&quot;', '"')
    })
    const french = await html(mock, pressed(empty, /value="fr"/, typed))
    t.match(french, '<html lang="fr">')
    t.strictSame(shown(fieldsOf(french)), typed, 'before it was sent')
    const { body } = await refused(mock, action(page), typed)
    t.strictSame(shown(fieldsOf(body)), typed, 'when it comes back')
    const again = await html(mock, pressed(body, /value="fr"/, typed))
    t.match(again, '<html lang="fr">')
    t.strictSame(shown(fieldsOf(again)), typed, 'and then in another language')
    const elsewhere = fieldsOf(
      await html(mock, pressed(body, /data-plain/, { ...typed, country: 'BEN' }))
    )
    const { country: _, provider: __, preAuthorisationCode: ___, ...kept } = typed
    t.strictSame(
      elsewhere,
      { country: 'BEN', ...kept },
      'in another country it is not that provider'
    )
    const [first] = /<button form="wallet"[^>]*>/.exec(empty)!
    t.equal(first, '<button form="wallet" hidden>', 'Enter presses the first button, which pays')
  })

  t.test(`${name}: another country shows its providers`, async (t) => {
    const mock = await build(t)
    const page = await open(mock)
    const { body } = await refused(mock, action(page), {
      country: 'RWA',
      provider: 'MTN_MOMO_ZMB',
      phoneNumber: '763456789',
      amount: '20'
    })
    t.match(problemsOf(body), { provider: 'Please choose a provider.' })
    t.match(body, 'value="MTN_MOMO_RWA"')
    t.match(fieldsOf(body), {
      country: 'RWA',
      phoneNumber: '763456789',
      amount: '20',
      provider: undefined
    })
  })

  t.test(`${name}: the page shows the limits of each provider`, async (t) => {
    const mock = await build(t)
    const page = await open(mock)
    const rows: Array<[query: string, checked: string | undefined]> = [
      ['country=RWA', undefined],
      ['country=RWA&provider=AIRTEL_RWA', 'AIRTEL_RWA'],
      ['country=RWA&phoneNumber=783456789', 'MTN_MOMO_RWA'],
      ['country=RWA&provider=MTN_MOMO_ZMB&phoneNumber=783456789', 'MTN_MOMO_RWA']
    ]
    for (const [query, checked] of rows) {
      const body = await html(mock, `${page}?${query}`)
      t.match(
        body,
        new RegExp(
          String.raw`data-limits-of="AIRTEL_RWA">Airtel: between 100 and 1,500,000 RWF, no ` +
            String.raw`decimals<[\s\S]*data-limits-of="MTN_MOMO_RWA">MTN: between 5 and ` +
            String.raw`2,000,000 RWF, no decimals<`
        ),
        query
      )
      t.equal(fieldsOf(body).provider, checked, query)
      t.equal(
        /id="phoneHint">This is a number of MTN\./.test(body),
        checked === 'MTN_MOMO_RWA',
        'and whose number it is goes with what is chosen'
      )
    }
  })

  t.test(`${name}: a provider that does not support the amount is not offered`, async (t) => {
    const mock = await build(t)
    const low = { country: 'BEN', currency: 'XOF', amount: '50' }
    const page = await open(
      mock,
      name === 'checkout'
        ? { amounts: [low] }
        : { country: 'BEN', amountDetails: { amount: low.amount, currency: low.currency } }
    )
    t.strictSame(
      [...(await html(mock, page)).matchAll(/name="provider" value="(\w+)"/g)].map(
        ([, provider]) => provider
      ),
      ['MTN_MOMO_BEN']
    )
    t.match((await mock.call('GET', page)).body.countries, [
      { country: 'BEN', providers: [{ provider: 'MTN_MOMO_BEN' }] }
    ])
    t.equal((await mock.call('GET', page)).body.countries[0].providers.length, 1)
    t.match(await mock.call('GET', `${page}/prediction?country=BEN&phoneNumber=22995345678`), {
      status: 400,
      body: { error: { code: 'INVALID_PROVIDER', message: /MOOV_BEN/ } }
    })
    t.match(
      await mock.call('POST', action(page), { provider: 'MOOV_BEN', phoneNumber: '2290195345678' }),
      { status: 400 }
    )
    await mock.call('PATCH', '/__admin/account', { providers: ['MOOV_BEN'] })
    t.match(
      await html(mock, page),
      /role="alert">No provider can take this payment at the moment/,
      'and nothing is left, should the other go'
    )
  })
}

t.test('a checkout without a possible payment is refused', async (t) => {
  const mock = await openSandbox(t)
  const payer = (provider: string, allowCustomerToOverride: boolean): object => ({
    payer: { type: 'MMO', accountDetails: { provider, allowCustomerToOverride } }
  })
  const amounts = [{ country: 'BEN', currency: 'XOF', amount: '50' }]
  const send = async (terms: object): Promise<any> =>
    await mock.call('POST', '/v2/checkouts', { checkoutId: id(), ...back, amounts, ...terms })
  t.match(await send(payer('MOOV_BEN', false)), {
    body: {
      status: 'REJECTED',
      failureReason: {
        failureMessage:
          /amounts\.0: amount '50' is outside the limits of MOOV_BEN, 100 to 2000000 XOF/
      }
    }
  })
  t.match(
    await send(payer('MOOV_BEN', true)),
    { body: { status: 'ACCEPTED' } },
    'another may be chosen'
  )
  t.match(await send(payer('MTN_MOMO_BEN', false)), { body: { status: 'ACCEPTED' } })
})

t.test('a wrong form shows all problems at their fields and makes no deposit', async (t) => {
  const { mock } = await shop(t)
  const depositId = id()
  const { body } = await mock.call('POST', '/v2/paymentpage', {
    depositId,
    returnUrl: 'https://shop.example/back',
    country: 'ZMB',
    language: 'FR'
  })
  const page = new URL(body.redirectUrl).pathname
  const provider = 'MTN_MOMO_ZMB'
  const phoneNumber = '763 45 67 89'
  const wanted = {
    provider: /^Veuillez choisir un opérateur/,
    phoneNumber: /^Veuillez saisir un numéro de téléphone : Zambie/,
    amount: /^Veuillez saisir un montant/
  }
  const rows: Array<[fields: Record<string, string>, problems: Record<string, RegExp>]> = [
    [{ country: 'ZMB' }, wanted],
    [{ provider }, { phoneNumber: wanted.phoneNumber, amount: wanted.amount }],
    [
      { provider, phoneNumber: '12', amount: 'much' },
      { phoneNumber: wanted.phoneNumber, amount: wanted.amount }
    ],
    [
      { provider, phoneNumber: '12', amount: '0,10' },
      { phoneNumber: wanted.phoneNumber, amount: /inférieur/ }
    ],
    [{ provider, phoneNumber }, { amount: wanted.amount }],
    [{ provider, phoneNumber, amount: '99999999' }, { amount: /supérieur/ }],
    [{ provider, phoneNumber, amount: '1,001' }, { amount: /Veuillez/ }],
    [
      {
        country: 'ZMB',
        provider: '"><script>alert(1)</script>',
        phoneNumber: '"><script>alert(2)</script>',
        amount: '<b>'
      },
      wanted
    ]
  ]
  for (const [fields, problems] of rows) {
    const name = JSON.stringify(fields)
    const { body, location } = await refused(mock, page, fields)
    const found = problemsOf(body)
    t.strictSame(Object.keys(found).sort(), Object.keys(problems).sort(), name)
    t.match(found, problems, name)
    const count = Object.keys(problems).length
    t.match(alertOf(body), count === 1 ? /le champ indiqué/ : new RegExp(`les ${count} champs`))
    t.equal(body.match(/autofocus=/g)?.length, 1, 'the first wrong field has the focus')
    t.notMatch(body, /<script>|<b>/)
    t.strictSame(problemsOf(await html(mock, location)), found, 'a reload shows the same')
    t.strictSame(problemsOf(await html(mock, location.replace('checked=true', ''))), {})
  }
  t.match(
    (await refused(mock, page, { provider, phoneNumber: '0763456789', amount: 'x' })).body,
    /name="amount"[^>]*value="x"[\s\S]*aria-invalid="true"/
  )
  t.strictSame((await mock.call('GET', `/v2/deposits/${depositId}`)).body, {
    status: 'NOT_FOUND'
  })
  t.match(
    await post(
      mock,
      page,
      { provider, phoneNumber, amount: '5' },
      { 'sec-fetch-site': 'cross-site' }
    ),
    { statusCode: 403 },
    'not from another site'
  )
  t.match(await post(mock, page, { provider, phoneNumber: '0763 456 789', amount: '1 015,50' }), {
    statusCode: 303,
    headers: { location: page }
  })
  t.match((await mock.call('GET', `/v2/deposits/${depositId}`)).body.data, {
    amount: '1015.50',
    payer: { accountDetails: { phoneNumber: good } }
  })
})

for (const [name, open, action] of pages) {
  t.test(`${name}: a refusal of the ledger is shown`, async (t) => {
    const mock = await build(t)
    const page = await open(mock)
    const fields = {
      country: 'ZMB',
      provider: 'MTN_MOMO_ZMB',
      phoneNumber: '763456789',
      amount: '5'
    }
    const state = async (status: string): Promise<void> => {
      await mock.call('PUT', '/__admin/providers/MTN_MOMO_ZMB', { DEPOSIT: status })
    }
    await state('CLOSED')
    const closed = await refused(mock, action(page), fields)
    t.match(problemsOf(closed.body), { provider: /not available at the moment/ })
    t.match(closed.body, /In detail: [^<]*MTN_MOMO_ZMB[^<]* is CLOSED/)
    await state('OPERATIONAL')
    t.strictSame(problemsOf(await html(mock, closed.location)), {}, 'until it is open again')
    await mock.call('POST', '/__admin/scenarios', {
      name: 'no',
      when: { kind: 'deposit' },
      reject: 'PROVIDER_TEMPORARILY_UNAVAILABLE',
      times: 1
    })
    const scripted = await refused(mock, action(page), fields)
    t.match(alertOf(scripted.body), 'The payment could not be started.')
    t.match(scripted.body, 'the payment was refused with SCRIPTED_REJECTION')
    t.notMatch(
      await html(mock, scripted.location.replace('SCRIPTED_REJECTION', '<b>other')),
      /role="alert"|other/,
      'only a known code is shown'
    )
    t.match(await post(mock, action(page), fields), {
      statusCode: 303,
      headers: { location: page }
    })
  })

  t.test(`${name}: a test number fills in the form and keeps the rest`, async (t) => {
    const mock = await build(t)
    const page = await open(mock)
    const body = await html(mock, `${page}?country=ZMB`)
    const query = pressed(body, /MTN_MOMO_ZMB\/260763456039/, { country: 'ZMB', amount: '7' })
    const clicked = await get(mock, query)
    t.equal(clicked.statusCode, 303)
    t.strictSame(fieldsOf(await html(mock, String(clicked.headers.location))), {
      country: 'ZMB',
      phoneNumber: '763456039',
      provider: 'MTN_MOMO_ZMB',
      amount: '7'
    })
  })

  t.test(`${name}: a button pays with its outcome, also without any value`, async (t) => {
    const here = await shop(t)
    const { mock } = here
    const rows: Array<[outcome: string, status: string, failureCode?: string]> = [
      ['happy-path', 'COMPLETED'],
      ['declined', 'FAILED', 'PAYMENT_NOT_APPROVED'],
      ['not-approved', 'PROCESSING'],
      ['insufficient-balance', 'FAILED', 'INSUFFICIENT_BALANCE'],
      ['limit-reached', 'FAILED', 'PAYER_LIMIT_REACHED'],
      ['unknown-payer', 'FAILED', 'PAYER_NOT_FOUND'],
      ['phone', 'PROCESSING']
    ]
    const buttons = [
      ...(await html(mock, await open(mock))).matchAll(/name="outcome"\s+value="([\w-]+)"/g)
    ]
    t.strictSame(
      buttons.map(([, outcome]) => outcome),
      rows.map(([outcome]) => outcome)
    )
    for (const [outcome, status, failureCode] of rows) {
      const page = await open(mock)
      t.match(await post(mock, action(page), { outcome }), {
        statusCode: 303,
        headers: { location: page }
      })
      await pass(here, 1000)
      const { deposit, attempts: [attempt] = [deposit] } = (await mock.call('GET', page)).body
      t.match(
        attempt,
        { status, ...(failureCode !== undefined && { failureReason: { failureCode } }) },
        outcome
      )
    }
    const page = await open(mock, name === 'checkout' ? { countries: ['ZMB'] } : { country: 'ZMB' })
    const fields = { country: 'ZMB', phoneNumber: '973456789', amount: '12', outcome: 'declined' }
    t.equal((await post(mock, action(page), fields)).statusCode, 303)
    const { deposit, attempts: [attempt] = [deposit] } = (await mock.call('GET', page)).body
    t.match(
      attempt,
      { phoneNumber: '260973456789', provider: 'AIRTEL_OAPI_ZMB', amount: '12.00' },
      'typed values stay'
    )
    t.match(
      (await refused(mock, action(await open(mock)), { outcome: 'nothing' })).body,
      /class="wrong"/
    )
  })

  t.test(`${name}: a JSON call names its scenario in the header`, async (t) => {
    const here = await shop(t)
    const { mock } = here
    const page = await open(mock)
    const choice = { provider: 'MTN_MOMO_ZMB', phoneNumber: good, amount: '5' }
    const scenario = (name: string) => ({ 'x-momock-scenario': name })
    t.match(await mock.call('POST', action(page), choice, scenario('nothing')), {
      status: 400,
      body: { error: { message: /X-Momock-Scenario/ } }
    })
    t.match(await mock.call('POST', action(page), choice, scenario('insufficient-balance')), {
      status: 201
    })
    await pass(here, 1000)
    const { deposit, attempts: [attempt] = [deposit] } = (await mock.call('GET', page)).body
    t.match(attempt, { failureReason: { failureCode: 'INSUFFICIENT_BALANCE' } })
  })

  t.test(`${name}: the first country of the merchant comes first`, async (t) => {
    const mock = await build(t, {
      accounts: [{ name: 'default', providers: ['ZMB', 'MTN_MOMO_RWA', 'BEN', 'AIRTEL_RWA'] }]
    })
    const countries = async (terms?: object): Promise<string[]> =>
      [...(await html(mock, await open(mock, terms))).matchAll(/<option value="(\w+)"/g)].map(
        ([, code]) => code
      )
    t.strictSame(await countries(), ['ZMB', 'RWA', 'BEN'], 'in the order of the account')
    if (name === 'checkout') {
      t.strictSame(
        await countries({ countries: ['RWA', 'ZMB'] }),
        ['RWA', 'ZMB'],
        'or of the checkout'
      )
    }
  })

  t.test(`${name}: a client that accepts anything gets the page`, async (t) => {
    const mock = await build(t)
    const page = await open(mock)
    const rows: Array<[headers: Record<string, string>, type: string]> = [
      [{}, 'text/html'],
      [{ accept: '*/*' }, 'text/html'],
      [{ accept: 'text/html, application/json;q=0.5' }, 'text/html'],
      [{ accept: 'application/json' }, 'application/json'],
      [{ accept: 'application/json, text/plain, */*' }, 'application/json']
    ]
    for (const [headers, type] of rows) {
      for (const url of [page, page.replace(/.$/, 'x')]) {
        const answer = await mock.app.http.inject({ url, headers })
        t.match(answer.headers['content-type'], type, `${url} ${JSON.stringify(headers)}`)
      }
    }
    for (const url of [`${page}/prediction`, `${page}x/events`]) {
      const answer = await mock.app.http.inject({ url, headers: { accept: '*/*' } })
      t.match(answer.headers['content-type'], 'application/json', `${url} is no page`)
    }
    const paid = await mock.app.http.inject({ method: 'POST', url: action(page), payload: {} })
    t.match(paid.headers['content-type'], 'application/json', 'a JSON body gets JSON')
  })
}

t.test('a payment page leads back to the merchant without a payment', async (t) => {
  const { mock } = await shop(t)
  const depositId = id()
  const { body } = await mock.call('POST', '/v2/paymentpage', { depositId, ...back })
  t.match(
    await html(mock, new URL(body.redirectUrl).pathname),
    `href="https://shop.example/back?depositId=${depositId}&amp;cancel=true">Back to Momock Demo Shop without paying<`
  )
})

t.test('the limits of a provider have the decimals that it takes', async (t) => {
  const mock = await build(t)
  const { body } = await mock.call('POST', '/v2/paymentpage', {
    depositId: id(),
    ...back,
    country: 'ZMB'
  })
  const page = new URL(body.redirectUrl).pathname
  t.match(await html(mock, page), 'MTN: between 1.00 and 20,000.00 ZMW<')
  t.match(await html(mock, `${page}?lang=fr`), /MTN : entre 1,00 et 20.000,00 ZMW</)
})

t.test('a checkout form with a problem shows the checkout', async (t) => {
  const here = await shop(t)
  const { mock } = here
  const { checkoutCode } = (
    await mock.call('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: 'https://shop.example/back',
      countries: ['ZMB', 'KEN'],
      amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '5' }]
    })
  ).body
  const page = `/checkout/${checkoutCode}`
  const back = await refused(mock, `${page}/attempts`, {
    country: 'ZMB',
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: '1'
  })
  for (const wanted of [
    `formmethod="get" formaction="${page}" name="lang" value="fr"`,
    `formmethod="get" formaction="${page}" data-plain`,
    `data-path="${page}"`,
    `data-follow="${page}/events"`
  ]) {
    t.ok(back.body.replace(/\s+/g, ' ').includes(wanted), wanted)
  }
  await mock.call('POST', `${page}/attempts`, {
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: '260763456039'
  })
  await pass(here, 1000)
  t.match(await html(mock, page), /value="763456039"/, 'what was tried is there again')
  t.match(
    await html(mock, `${page}?country=KEN`),
    /name="phoneNumber"[^>]*value=""/,
    'but not in another country'
  )
})

t.test('an amount without a currency of v1 is shown', async (t) => {
  const { mock } = await shop(t)
  const rows: Array<[country: string, shown: RegExp]> = [
    ['ZMB', /class="price">500\.00.ZMW</],
    ['COD', /class="price">500\.00<[\s\S]*value="CDF"[\s\S]*500\.00.CDF/]
  ]
  for (const [country, shown] of rows) {
    const { body } = await mock.call('POST', '/v1/widget/sessions', {
      depositId: id(),
      returnUrl: 'https://shop.example/back',
      amount: '500',
      country
    })
    t.match(await html(mock, new URL(body.redirectUrl).pathname), shown, country)
  }
})
