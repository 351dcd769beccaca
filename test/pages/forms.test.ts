import t from 'tap'
import { form as post, good, html as get, pass, shop } from '../support/customers.ts'
import { build, id, type Mock } from '../support/helper.ts'

/** The form of the payment page and of the checkout, as a browser without scripts fills it in. */

const back = { returnUrl: 'https://shop.example/back' }
const html = async (mock: Mock, url: string): Promise<string> => (await get(mock, url)).body

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
  const [, name, value] = /name="(\w+)"\s+value="(\w+)"/.exec(tag) ?? []
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
    const refused = await post(mock, action(page), typed)
    t.equal(refused.statusCode, 400)
    t.strictSame(shown(fieldsOf(refused.body)), typed, 'when it comes back')
    const again = await html(mock, pressed(refused.body, /value="fr"/, typed))
    t.match(again, '<html lang="fr">')
    t.strictSame(shown(fieldsOf(again)), typed, 'and then in another language')
    const elsewhere = fieldsOf(
      await html(mock, pressed(refused.body, /data-plain/, { ...typed, country: 'BEN' }))
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
    const answer = await post(mock, action(page), {
      country: 'RWA',
      provider: 'MTN_MOMO_ZMB',
      phoneNumber: '763456789',
      amount: '20'
    })
    t.match(answer, {
      statusCode: 400,
      body: /role="alert"[^>]*>Please choose a provider\.[\s\S]*value="MTN_MOMO_RWA"/
    })
    t.match(fieldsOf(answer.body), {
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
  const mock = await build(t)
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

t.test('a wrong form shows the problem, keeps its values and makes no deposit', async (t) => {
  const { mock } = await shop(t)
  const depositId = id()
  const { body } = await mock.call('POST', '/v2/paymentpage', {
    depositId,
    returnUrl: 'https://shop.example/back',
    country: 'ZMB',
    language: 'FR'
  })
  const page = new URL(body.redirectUrl).pathname
  const rows: Array<[fields: Record<string, string>, says: RegExp]> = [
    [{}, /Veuillez choisir un opérateur/],
    [{ provider: 'MTN_MOMO_ZMB' }, /Veuillez saisir un numéro de téléphone : Zambie/],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '12' }, /Veuillez saisir un numéro de téléphone/],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '763 45 67 89' }, /Veuillez saisir un montant/],
    [
      { provider: 'MTN_MOMO_ZMB', phoneNumber: '763456789', amount: 'much' },
      /Veuillez saisir un montant/
    ],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '763456789', amount: '0,10' }, /inférieur/],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '763456789', amount: '99999999' }, /supérieur/],
    [
      {
        provider: '"><script>alert(1)</script>',
        phoneNumber: '"><script>alert(2)</script>',
        amount: '<b>'
      },
      /Veuillez/
    ]
  ]
  for (const [fields, says] of rows) {
    const answer = await post(mock, page, fields)
    t.equal(answer.statusCode, 400, JSON.stringify(fields))
    t.match(/role="alert"[^>]*>([^<]*)/.exec(answer.body)?.[1], says, JSON.stringify(fields))
    t.notMatch(answer.body, /<script>|<b>/)
  }
  t.match(
    (await post(mock, page, { provider: 'MTN_MOMO_ZMB', phoneNumber: '0763456789', amount: 'x' }))
      .body,
    /value="MTN_MOMO_ZMB" required\s+checked="checked"[\s\S]*name="amount"[^>]*value="x"/
  )
  t.strictSame((await mock.call('GET', `/v2/deposits/${depositId}`)).body, {
    status: 'NOT_FOUND'
  })
  t.match(
    await post(
      mock,
      page,
      { provider: 'MTN_MOMO_ZMB', phoneNumber: '763456789', amount: '5' },
      { 'sec-fetch-site': 'cross-site' }
    ),
    { statusCode: 403 },
    'not from another site'
  )
  t.match(
    await post(mock, page, {
      provider: 'MTN_MOMO_ZMB',
      phoneNumber: '0763 456 789',
      amount: '1 015,50'
    }),
    { statusCode: 303, headers: { location: page } }
  )
  t.match((await mock.call('GET', `/v2/deposits/${depositId}`)).body.data, {
    amount: '1015.50',
    payer: { accountDetails: { phoneNumber: good } }
  })
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
  const back = await post(mock, `${page}/attempts`, {
    country: 'ZMB',
    provider: 'MTN_MOMO_ZMB',
    phoneNumber: '1'
  })
  t.match(back, { statusCode: 400 })
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
