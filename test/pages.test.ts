import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { Config } from '../src/config.ts'
import { speak, texts } from '../routes/pages/texts.ts'
import { but, requests } from './examples.ts'
import { build, id, receiver, testMachine, until, type Mock, type TestMachine } from './helper.ts'
import { serve } from './process.ts'

const good = '260763456789'
const phonePath = `/__admin/phone/${good}`
const wave = '221773456789'

const waveDeposit = (depositId: string, phoneNumber = wave) => ({ depositId, amount: '500', currency: 'XOF', payer: { type: 'MMO', accountDetails: { phoneNumber, provider: 'WAVE_SEN' } } })

interface Shop { mock: Mock, machine: TestMachine, merchant: Awaited<ReturnType<typeof receiver>> }

/** A server whose time the test moves, and a merchant who listens. */
async function shop (t: Test, options: Partial<Config> = {}): Promise<Shop> {
  const machine = testMachine()
  const merchant = await receiver(t)
  return { machine, merchant, mock: await build(t, { callbackUrl: merchant.url, ...options }, machine) }
}

async function pass ({ mock, machine }: Shop, ms: number): Promise<void> {
  machine.time += ms
  await mock.app.settle()
}

const named = { 'x-momock-scenario': 'phone' }
const deposit = async ({ mock }: Shop, headers: Record<string, string> = named): Promise<string> => {
  const body = requests.v2.deposit!()
  await mock.call('POST', '/v2/deposits', body, headers)
  return body.depositId
}
const statusOf = async ({ mock }: Shop, depositId: string): Promise<any> => (await mock.call('GET', `/v2/deposits/${depositId}`)).body.data
const answer = ({ mock }: Shop, depositId: string, decision: string, phone = good) => mock.call('POST', `/__admin/phone/${phone}/deposits/${depositId}`, { decision })
const form = (mock: Mock, url: string, fields: Record<string, string>, headers: Record<string, string> = {}) => mock.app.http.inject({ method: 'POST', url, headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers }, payload: new URLSearchParams(fields).toString() })
const html = (mock: Mock, url: string, headers: Record<string, string> = {}) => mock.app.http.inject({ url, headers: { accept: 'text/html', ...headers } })

t.test('both languages say the same things', async (t) => {
  t.strictSame(Object.keys(texts.fr).sort(), Object.keys(texts.en).sort())
  const holes = (text: string | object): string[][] => (typeof text === 'string' ? [text] : Object.values(text)).map((form) => [...form.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort())
  for (const [name, text] of Object.entries(texts.en)) t.strictSame(holes(texts.fr[name as keyof typeof texts.fr]), holes(text), name)
})

t.test('what is counted is counted as each language does', async (t) => {
  const rows: Array<[language: 'en' | 'fr', seconds: number, says: string]> = [
    ['en', 0, 'in 0 seconds.'], ['en', 1, 'in 1 second.'], ['en', 2, 'in 2 seconds.'], ['fr', 0, 'dans 0 seconde.'], ['fr', 1, 'dans 1 seconde.'], ['fr', 2, 'dans 2 secondes.']
  ]
  for (const [language, seconds, says] of rows) t.ok(speak(language)('returningIn', { company: '1 Shop', seconds }).endsWith(`1 Shop ${says}`), says)
  for (const [language, forms] of Object.entries(texts)) {
    for (const [name, text] of Object.entries(forms)) {
      const counted = typeof text === 'string' ? [] : Object.keys(text)
      if (counted.length > 0) t.strictSame(counted, ['one', 'other'], `${language} ${name}`)
    }
  }
  const { mock } = await shop(t)
  const { checkoutCode } = (await mock.call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/back', returnMethod: 'COUNTDOWN', defaultLanguage: 'fr' })).body
  await mock.call('POST', `/checkout/${checkoutCode}/cancel`)
  t.match((await html(mock, `/checkout/${checkoutCode}`)).body, /data-countdown="[^"]*dans 0 seconde\.[^"]*dans 1 seconde\.[^"]*dans 5 secondes\.&quot;\]">[^<]*dans 5 secondes\.</)
})

t.test('a deposit that waits for its customer, and every answer they can give', async (t) => {
  const rows: Array<[decision: string, moves: string[], code: string | undefined, message: RegExp]> = [
    ['approve', ['ACCEPTED', 'PROCESSING', 'COMPLETED'], undefined, /You paid 15.ZMW to Momock Demo Shop\. Order 1234\. Transaction \d{15}\./],
    ['decline', ['ACCEPTED', 'PROCESSING', 'FAILED'], 'PAYMENT_NOT_APPROVED', /failed\. Order 1234\. The payment was not approved\./],
    ['ignore', ['ACCEPTED', 'PROCESSING', 'FAILED'], 'PAYMENT_NOT_APPROVED', /failed\. Order 1234\. The payment was not approved\./]
  ]
  for (const [decision, moves, code, message] of rows) {
    for (const asked of [true, false]) {
      await t.test(`${decision}, ${asked ? 'on the prompt' : 'before it was asked'}`, async (t) => {
        const here = await shop(t)
        const { mock, merchant } = here
        const depositId = await deposit(here)
        if (asked) {
          await pass(here, 3_600_000)
          t.match((await mock.call('GET', phonePath)).body, { phoneNumber: good, prompts: [{ depositId, status: 'PROCESSING', amount: '15', customerMessage: 'Order 1234' }], messages: [] })
        }
        t.equal((await statusOf(here, depositId)).status, asked ? 'PROCESSING' : 'ACCEPTED')
        t.match(await answer(here, depositId, decision), { status: 200, body: { prompts: [] } })
        if (decision === 'ignore') {
          t.equal((await statusOf(here, depositId)).status, 'PROCESSING', 'the prompt is put away, the provider still waits')
          await pass(here, 30_000)
        }
        await mock.app.settle()
        while (merchant.received.length === 0) await merchant.next()
        const found = await statusOf(here, depositId)
        t.match(found, { status: moves.at(-1), ...(code !== undefined && { failureReason: { failureCode: code } }) })
        t.strictSame(merchant.received.map(({ body }) => body), [found], 'and the merchant hears of it once')
        const told = (await mock.call('GET', `/__admin/payments/deposit/${depositId}`)).body
        t.strictSame(told.history.map(({ status }: any) => status), moves)
        const { body } = await mock.call('GET', phonePath)
        t.match(body, { prompts: [], messages: [{ kind: 'deposit', id: depositId, status: moves.at(-1), text: message }] })
        t.match(await answer(here, depositId, decision === 'approve' ? 'decline' : 'approve'), { status: 409, body: { error: { code: 'CONFLICT', message: new RegExp(`is ${moves.at(-1)}`) } } })
        if (decision !== 'ignore') t.match(await answer(here, depositId, decision), { status: 200 }, 'said twice, it is as if it was said once')
        t.equal(merchant.received.length, 1)
      })
    }
  }
})

t.test('money goes with the answer', async (t) => {
  const here = await shop(t)
  const balance = async (): Promise<string> => (await here.mock.call('GET', '/v2/wallet-balances?country=ZMB')).body.balances[0].balance
  const before = Number(await balance())
  const [one, other] = [await deposit(here), await deposit(here)]
  await answer(here, one, 'approve')
  await answer(here, other, 'decline')
  t.equal(Number(await balance()), before + 15)
})

t.test('who waits for the phone', async (t) => {
  const phone = { accounts: [{ name: 'default', approval: 'phone' as const }] }
  const rows: Array<[name: string, options: Partial<Config>, change: (body: any) => any, headers: Record<string, string>, status: string]> = [
    ['nobody, as it comes', {}, (body) => body, {}, 'COMPLETED'],
    ['who names the scenario', {}, (body) => body, named, 'PROCESSING'],
    ['who names it in the metadata', {}, (body) => but(but(body, 'payer.accountDetails.phoneNumber', '260763459993'), 'metadata', [{ momock: 'phone' }]), {}, 'PROCESSING'],
    ['but not with a number of the sandbox table, which comes first', {}, (body) => but(body, 'metadata', [{ momock: 'phone' }]), {}, 'COMPLETED'],
    ['an account that wants it: a good test number', phone, (body) => body, {}, 'PROCESSING'],
    ['an account that wants it: any number', phone, (body) => but(body, 'payer.accountDetails.phoneNumber', '260763459993'), {}, 'PROCESSING'],
    ['but not a number that fails', phone, (body) => but(body, 'payer.accountDetails.phoneNumber', '260763456039'), {}, 'FAILED'],
    ['nor a scenario that says otherwise', phone, (body) => body, { 'x-momock-scenario': 'happy-path' }, 'COMPLETED']
  ]
  for (const [name, options, change, headers, status] of rows) {
    const here = await shop(t, options)
    const body = change(requests.v2.deposit!())
    await here.mock.call('POST', '/v2/deposits', body, headers)
    await pass(here, 3_600_000)
    t.equal((await statusOf(here, body.depositId)).status, status, name)
  }
  const here = await shop(t)
  const { mock } = here
  await mock.call('PATCH', '/__admin/account', { approval: 'phone' })
  const depositId = await deposit(here, {})
  await pass(here, 3_600_000)
  t.equal((await statusOf(here, depositId)).status, 'PROCESSING', 'an account that came to want it')
  t.match(await mock.call('POST', '/__admin/scenarios', { name: 'p', script: 'phone' }), { status: 400, body: { error: { message: /script.*only a deposit.*when: \{ kind: deposit \}/ } } })
  t.match(await mock.call('POST', '/__admin/scenarios', { name: 'p', script: 'telephone' }), { status: 400, body: { error: { message: /script must be a list of at most 20 steps, or 'phone'/ } } })
  t.match(await mock.call('POST', '/__admin/scenarios', { name: 'p', when: { kind: 'deposit' }, script: [{ after: '1s', to: 'GONE' }] }), { status: 400, body: { error: { message: /script\.0\.to/ } } })
})

t.test('the phone of one account is not that of another, and its key opens nothing else', async (t) => {
  const here = await shop(t, { adminToken: 'secret' })
  const { mock } = here
  const admin = { 'x-momock-admin-token': 'secret' }
  const depositId = await deposit(here)
  await pass(here, 1000)
  t.equal((await mock.call('GET', phonePath)).status, 401, 'the admin token counts here too')
  const { page, prompts } = (await mock.call('GET', phonePath, undefined, admin)).body
  t.equal(prompts.length, 1)
  t.strictSame((await mock.call('GET', phonePath, undefined, { ...admin, authorization: 'Bearer sandbox-other' })).body.prompts, [])
  t.equal((await mock.call('GET', page, undefined, { authorization: '' })).body.prompts.length, 1, 'the link opens it, without any token')
  const key = new URL(page, 'http://x').searchParams.get('key')!
  for (const [name, path] of [
    ['another number', `/__admin/phone/260763456039?key=${key}`],
    ['another account', `${phonePath}?key=${key.replace(/^\d+/, (account) => String(Number(account) + 1))}`],
    ['a key that was changed', `${phonePath}?key=${key.slice(0, -1)}${key.endsWith('0') ? 1 : 0}`],
    ['other admin calls', `/__admin/clock?key=${key}`]
  ]) t.equal((await mock.call('GET', path, undefined, { authorization: '' })).status, 401, name)
  t.match(await mock.call('POST', `/__admin/phone/260763456039/deposits/${depositId}`, { decision: 'approve' }, admin), { status: 404 }, 'a deposit of another number')
  const shown = await html(mock, page)
  t.match(shown, { statusCode: 200, headers: { 'content-security-policy': /script-src 'self'/, 'cache-control': 'no-store' } })
  const pressed = await form(mock, `/__admin/phone/${good}/deposits/${depositId}?key=${key}`, { decision: 'approve' }, { 'sec-fetch-site': 'same-origin' })
  t.match(pressed, { statusCode: 303, headers: { location: page } })
  t.equal((await statusOf(here, depositId)).status, 'COMPLETED')
})

t.test('the phone link of a page opens no more of the phone than what the page is about', async (t) => {
  const here = await shop(t, { adminToken: 'secret', accounts: [{ name: 'default', approval: 'phone' }] })
  const { mock } = here
  const anybody = { authorization: '' }
  const terms = { returnUrl: 'https://shop.example/back' }
  const amounts = [{ country: 'ZMB', currency: 'ZMW', amount: '5' }]
  const payer = { type: 'MMO', accountDetails: { phoneNumber: good, provider: 'MTN_MOMO_ZMB', allowCustomerToOverride: true } }
  const session = async (): Promise<string> => new URL((await mock.call('POST', '/v2/paymentpage', { depositId: id(), ...terms, country: 'ZMB', amountDetails: { amount: '5', currency: 'ZMW' }, phoneNumber: good })).body.redirectUrl).pathname
  const checkout = async (): Promise<string> => `/checkout/${(await mock.call('POST', '/v2/checkouts', { checkoutId: id(), ...terms, amounts, payer })).body.checkoutCode}`
  const wave500 = { ...waveDeposit(id()), successfulUrl: terms.returnUrl, failedUrl: terms.returnUrl }
  const authorisation = async (): Promise<string> => {
    await mock.call('POST', '/v2/deposits', wave500)
    await pass(here, 100)
    return new URL((await statusOf(here, wave500.depositId)).authorizationUrl).pathname
  }
  const pay = (page: string): Promise<{ body: any }> => mock.call('POST', page.startsWith('/checkout') ? `${page}/attempts` : page, { provider: 'MTN_MOMO_ZMB' })
  const other = await deposit(here)
  const elsewhere = (await mock.call('POST', '/v2/deposits', { ...wave500, depositId: id() }, named)).body.depositId
  for (const open of [session, checkout, authorisation]) {
    const page = await open()
    const phone = (await mock.call('GET', page)).body.phonePage
    const isRedirect = open === authorisation
    t.match((await mock.call('GET', phone, undefined, anybody)).body, { page: phone, prompts: [], messages: [] }, `${open.name}: nothing waits yet, of this page`)
    const depositId = isRedirect ? wave500.depositId : (await pay(page)).body.depositId
    await pass(here, 100)
    t.equal((await mock.call('GET', page)).body.phonePage, phone, 'the link stays')
    const shown = (await mock.call('GET', phone, undefined, anybody)).body
    t.strictSame(shown.prompts.map((prompt: any) => prompt.depositId), isRedirect ? [] : [depositId])
    const [path, query] = phone.split('?')
    const key = new URLSearchParams(query).get('key')!
    for (const [name, url] of [
      ['the whole phone', `${path}?key=${key}`],
      ['another payment', `${path}?about=deposit/${other}&key=${key}`],
      ['another payment, and this', `${path}?about=deposit/${other}&${query}`],
      ['the stream of the whole phone', `${path}/events?key=${key}`]
    ]) t.equal((await mock.call('GET', url, undefined, anybody)).status, 401, name)
    for (const stranger of [other, elsewhere]) t.match(await mock.call('POST', `${path}/deposits/${stranger}?${query}`, { decision: 'approve' }, anybody), { status: 404 }, 'nor can anything else be answered')
    t.match((await html(mock, phone)).body, isRedirect ? /Nothing waits/ : new RegExp(`action="${path}/deposits/${depositId}[?]${query.replace('&', '&amp;')}"`))
    const pressed = await form(mock, `${path}/deposits/${depositId}?${query}`, { decision: 'approve' })
    t.match(pressed, { statusCode: 303, headers: { location: phone } })
    await mock.call('POST', '/v2/refunds', { refundId: id(), depositId, ...(isRedirect ? { amount: '500', currency: 'XOF' } : { amount: '5', currency: 'ZMW' }) })
    await pass(here, 1000)
    t.strictSame((await mock.call('GET', phone, undefined, anybody)).body.messages.map(({ kind }: any) => kind), ['refund', 'deposit'], 'the messages of this payment, and of its refund')
  }
  t.match(await mock.call('GET', `${phonePath}?about=payout/${other}`, undefined, { 'x-momock-admin-token': 'secret' }), { status: 400, body: { error: { message: /about.*deposit\/ID/ } } })
  t.strictSame((await mock.call('GET', `${phonePath}?about=deposit/${other}`, undefined, { 'x-momock-admin-token': 'secret' })).body.prompts.map(({ depositId }: any) => depositId), [other], 'who may see all may ask for one')
})

t.test('a redirecting provider: its page decides, or time does', async (t) => {
  const returnUrls = { successfulUrl: 'https://shop.example/good', failedUrl: 'https://shop.example/bad' }
  const rows: Array<[decision: string | undefined, status: string, returnUrl: string]> = [
    ['approve', 'COMPLETED', returnUrls.successfulUrl], ['decline', 'FAILED', returnUrls.failedUrl], [undefined, 'COMPLETED', returnUrls.successfulUrl]
  ]
  for (const [decision, status, returnUrl] of rows) {
    for (const by of decision === undefined ? ['time'] : ['JSON', 'form']) {
      const here = await shop(t)
      const { mock } = here
      const body = { ...waveDeposit(id()), ...returnUrls }
      await mock.call('POST', '/v2/deposits', body)
      await pass(here, 100)
      const { authorizationUrl } = await statusOf(here, body.depositId)
      const path = new URL(authorizationUrl).pathname
      t.match((await mock.call('GET', path)).body, { status: 'PROCESSING', amount: '500', returnUrl: undefined })
      if (by === 'JSON') t.match((await mock.call('POST', path, { decision })).body, { status, returnUrl })
      if (by === 'form') t.match(await form(mock, path, { decision: decision! }), { statusCode: 303, headers: { location: path } })
      await pass(here, 3_600_000)
      t.equal((await statusOf(here, body.depositId)).status, status, `${decision} by ${by}`)
      t.match((await html(mock, path)).body, new RegExp(`data-onward="${returnUrl}"`))
    }
  }
  const { mock } = await shop(t)
  t.match(await mock.call('POST', '/authorise/nothing', { decision: 'approve' }), { status: 404 })
})

t.test('who opens the page of a redirecting provider is waited for, unless something else decides', async (t) => {
  const returnUrls = { successfulUrl: 'https://shop.example/good', failedUrl: 'https://shop.example/bad' }
  const opening = (mock: Mock, path: string) => html(mock, path)
  const rows: Array<[name: string, open: (mock: Mock, path: string) => Promise<unknown>, headers: Record<string, string>, phone: string, status: string, end: string]> = [
    ['opened', opening, {}, '221773459993', 'PROCESSING', 'FAILED'],
    ['opened, with a good test number', opening, {}, wave, 'PROCESSING', 'FAILED'],
    ['opened twice', async (mock, path) => { await opening(mock, path); await opening(mock, path) }, {}, wave, 'PROCESSING', 'FAILED'],
    ['the twin says that somebody is there', (mock, path) => mock.call('POST', path, { decision: 'wait' }), {}, wave, 'PROCESSING', 'FAILED'],
    ['looked at by a program', (mock, path) => mock.call('GET', path), {}, wave, 'COMPLETED', 'COMPLETED'],
    ['a scenario that was asked for', opening, { 'x-momock-scenario': 'happy-path' }, wave, 'COMPLETED', 'COMPLETED'],
    ['one that waits for ever anyway', opening, named, wave, 'PROCESSING', 'PROCESSING'],
    ['a number that fails', opening, {}, '221773456049', 'FAILED', 'FAILED']
  ]
  const redirected = async (here: Shop, phoneNumber = wave, headers = {}): Promise<{ depositId: string, path: string }> => {
    const depositId = id()
    await here.mock.call('POST', '/v2/deposits', { ...waveDeposit(depositId, phoneNumber), ...returnUrls }, headers)
    await pass(here, 60)
    return { depositId, path: new URL((await statusOf(here, depositId)).authorizationUrl).pathname }
  }
  for (const [name, open, headers, phoneNumber, status, end] of rows) {
    const here = await shop(t)
    const { depositId, path } = await redirected(here, phoneNumber, headers)
    await open(here.mock, path)
    await pass(here, 14 * 60_000)
    t.equal((await statusOf(here, depositId)).status, status, name)
    await pass(here, 2 * 60_000)
    t.equal((await statusOf(here, depositId)).status, end, `${name}, and then nothing more`)
  }
  const here = await shop(t)
  const { mock, merchant } = here
  const { depositId, path } = await redirected(here)
  await html(mock, path)
  await pass(here, 60_000)
  t.match((await mock.call('GET', `/__admin/payments/deposit/${depositId}`)).body, { scenario: 'waits-for-customer', why: /opened the page/ })
  await form(mock, path, { decision: 'decline' })
  await pass(here, 16 * 60_000)
  t.match(await statusOf(here, depositId), { status: 'FAILED', failureReason: { failureCode: 'PAYMENT_NOT_APPROVED' } })
  while (merchant.received.length < 2) await merchant.next()
  t.strictSame(merchant.received.map(({ body }) => body.status), ['PROCESSING', 'FAILED'], 'the merchant hears of each once')
  t.match(await mock.call('POST', path, { decision: 'wait' }), { status: 200, body: { status: 'FAILED' } }, 'what has ended stays as it is')
})

t.test('who is in a browser is waited for where a provider sends them, and who walks away has not paid', async (t) => {
  const rows: Array<[name: string, pay: (mock: Mock, page: string) => Promise<any>, after: number, status: string]> = [
    ['JSON, with nobody there', (mock, page) => mock.call('POST', page, { provider: 'WAVE_SEN' }), 1000, 'COMPLETED'],
    ['JSON, with somebody there', (mock, page) => mock.call('POST', page, { provider: 'WAVE_SEN', attended: true }), 1000, 'PROCESSING'],
    ['a form', (mock, page) => form(mock, page, { provider: 'WAVE_SEN' }), 1000, 'PROCESSING'],
    ['a form, and then nothing', (mock, page) => form(mock, page, { provider: 'WAVE_SEN' }), 16 * 60_000, 'FAILED']
  ]
  for (const [name, pay, after, status] of rows) {
    const here = await shop(t)
    const depositId = id()
    const { body } = await here.mock.call('POST', '/v2/paymentpage', { depositId, returnUrl: 'https://shop.example/back', phoneNumber: wave, country: 'SEN', amountDetails: { amount: '500', currency: 'XOF' } })
    const page = new URL(body.redirectUrl).pathname
    await pay(here.mock, page)
    await pass(here, 100)
    await pass(here, after)
    t.equal((await statusOf(here, depositId)).status, status, name)
  }
})

t.test('a form says on the page what is wrong, keeps what was typed, and makes no deposit', async (t) => {
  const { mock } = await shop(t)
  const depositId = id()
  const { body } = await mock.call('POST', '/v2/paymentpage', { depositId, returnUrl: 'https://shop.example/back', country: 'ZMB', language: 'FR' })
  const page = new URL(body.redirectUrl).pathname
  const rows: Array<[fields: Record<string, string>, says: RegExp]> = [
    [{}, /Veuillez choisir un opérateur/],
    [{ provider: 'MTN_MOMO_ZMB' }, /Veuillez saisir un numéro de téléphone : Zambie/],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '12' }, /Veuillez saisir un numéro de téléphone/],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '763 45 67 89' }, /Veuillez saisir un montant/],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '763456789', amount: 'much' }, /Veuillez saisir un montant/],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '763456789', amount: '0,10' }, /inférieur/],
    [{ provider: 'MTN_MOMO_ZMB', phoneNumber: '763456789', amount: '99999999' }, /supérieur/],
    [{ provider: '"><script>alert(1)</script>', phoneNumber: '"><script>alert(2)</script>', amount: '<b>' }, /Veuillez/]
  ]
  for (const [fields, says] of rows) {
    const answer = await form(mock, page, fields)
    t.equal(answer.statusCode, 400, JSON.stringify(fields))
    t.match(/role="alert"[^>]*>([^<]*)/.exec(answer.body)?.[1], says, JSON.stringify(fields))
    t.notMatch(answer.body, /<script>|<b>/)
  }
  t.match((await form(mock, page, { provider: 'MTN_MOMO_ZMB', phoneNumber: '0763456789', amount: 'x' })).body, /value="MTN_MOMO_ZMB" required checked="checked"[\s\S]*name="amount"[^>]*value="x"/)
  t.strictSame((await mock.call('GET', `/v2/deposits/${depositId}`)).body, { status: 'NOT_FOUND' })
  t.match(await form(mock, page, { provider: 'MTN_MOMO_ZMB', phoneNumber: '763456789', amount: '5' }, { 'sec-fetch-site': 'cross-site' }), { statusCode: 400 }, 'not from another site')
  t.match(await form(mock, page, { provider: 'MTN_MOMO_ZMB', phoneNumber: '0763 456 789', amount: '1 015,50' }), { statusCode: 303, headers: { location: page } })
  t.match((await mock.call('GET', `/v2/deposits/${depositId}`)).body.data, { amount: '1015.50', payer: { accountDetails: { phoneNumber: good } } })
})

t.test('a checkout that comes back with a problem is still that page', async (t) => {
  const here = await shop(t)
  const { mock } = here
  const { checkoutCode } = (await mock.call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/back', countries: ['ZMB', 'KEN'], amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '5' }] })).body
  const page = `/checkout/${checkoutCode}`
  const back = await form(mock, `${page}/attempts`, { country: 'ZMB', provider: 'MTN_MOMO_ZMB', phoneNumber: '1' })
  t.match(back, { statusCode: 400 })
  for (const wanted of [`formmethod="get" formaction="${page}" name="lang" value="fr"`, `formmethod="get" formaction="${page}" data-plain`, `data-path="${page}"`, `data-follow="${page}/events"`]) t.ok(back.body.includes(wanted), wanted)
  await mock.call('POST', `${page}/attempts`, { provider: 'MTN_MOMO_ZMB', phoneNumber: '260763456039' })
  await pass(here, 1000)
  t.match((await html(mock, page)).body, /value="763456039"/, 'what was tried is there again')
  t.match((await html(mock, `${page}?country=KEN`)).body, /name="phoneNumber"[^>]*value=""/, 'but not in another country')
})

t.test('an amount without a currency, as the earlier generation has it', async (t) => {
  const { mock } = await shop(t)
  const rows: Array<[country: string, shown: RegExp]> = [['ZMB', /class="price">500.ZMW</], ['COD', /class="price">500<[\s\S]*value="CDF"[\s\S]*500.CDF/]]
  for (const [country, shown] of rows) {
    const { body } = await mock.call('POST', '/v1/widget/sessions', { depositId: id(), returnUrl: 'https://shop.example/back', amount: '500', country })
    t.match((await html(mock, new URL(body.redirectUrl).pathname)).body, shown, country)
  }
})

t.test('whose number it is', async (t) => {
  const { mock } = await shop(t, { accounts: [{ name: 'default', providers: ['ZMB', 'KEN'] }] })
  const session = new URL((await mock.call('POST', '/v2/paymentpage', { depositId: id(), returnUrl: 'https://shop.example/back' })).body.redirectUrl).pathname
  const { checkoutCode } = (await mock.call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/back' })).body
  const mtn = { status: 200, body: { country: 'ZMB', provider: 'MTN_MOMO_ZMB', displayName: 'MTN', phoneNumber: good } }
  for (const page of [session, `/checkout/${checkoutCode}`]) {
    const ask = (query: string) => mock.call('GET', `${page}/prediction?${query}`)
    t.match(await ask('phoneNumber=763456789&country=ZMB'), mtn)
    t.match(await ask('phoneNumber=0763%20456%20789&country=ZMB'), mtn)
    t.match(await ask('phoneNumber=%2B260763456789&country=KEN'), mtn, 'with its country code, wherever')
    t.match(await ask('phoneNumber=763456789'), { status: 400 })
    t.match(await ask('phoneNumber=221773456789'), { status: 400, body: { error: { message: /WAVE_SEN|cannot be paid/ } } }, 'not offered')
    t.match(await ask('country=ZMB'), { status: 400, body: { error: { code: 'MISSING_PARAMETER' } } })
  }
})

t.test('a browser is refused with a page, and everybody else with JSON', async (t) => {
  const mock = await build(t, { adminToken: 'secret', accounts: [{ name: 'default', approval: 'phone' }] }, testMachine())
  const depositId = id()
  const admin = { 'x-momock-admin-token': 'secret' }
  const rows: Array<[name: string, method: 'GET' | 'POST', url: string, headers: Record<string, string>, status: number, code: string]> = [
    ['a phone without a number', 'GET', '/__admin/phone/abc', admin, 400, 'BAD_REQUEST'],
    ['a phone without a key', 'GET', phonePath, {}, 401, 'UNAUTHORIZED'],
    ['a phone with a wrong key', 'GET', `${phonePath}?key=1.x`, {}, 401, 'UNAUTHORIZED'],
    ['a link about nothing', 'GET', `${phonePath}?about=nothing`, admin, 400, 'BAD_REQUEST'],
    ['a prompt that is not there', 'POST', `${phonePath}/deposits/${depositId}`, admin, 404, 'NOT_FOUND'],
    ['a form of another site', 'POST', `${phonePath}/deposits/${depositId}`, { ...admin, 'sec-fetch-site': 'cross-site' }, 400, 'BAD_REQUEST'],
    ['a payment page', 'GET', '/pay/nothing', {}, 404, 'NOT_FOUND'],
    ['a checkout', 'GET', '/checkout/nothing', {}, 404, 'NOT_FOUND'],
    ['an attempt', 'POST', '/checkout/nothing/attempts', {}, 404, 'NOT_FOUND'],
    ['a checkout to be cancelled', 'POST', '/checkout/nothing/cancel', {}, 404, 'NOT_FOUND'],
    ['an authorisation', 'GET', '/authorise/nothing', {}, 404, 'NOT_FOUND'],
    ['a decision', 'POST', '/authorise/nothing', {}, 404, 'NOT_FOUND']
  ]
  for (const [name, method, url, headers, status, code] of rows) {
    const answer = method === 'GET' ? await html(mock, url, headers) : await form(mock, url, { decision: 'approve' }, headers)
    t.match(answer, { statusCode: status, headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': /script-src 'self'/, 'cache-control': 'no-store' }, body: new RegExp(`data-state="${code}"[\\s\\S]*In detail`) }, name)
    if (headers['sec-fetch-site'] !== undefined) continue
    const twin = await mock.call(method, url, method === 'GET' ? undefined : url.includes('attempts') || url.includes('cancel') ? {} : { decision: 'approve' }, { ...headers, accept: 'application/json' })
    t.match(twin, { status, headers: { 'content-type': 'application/json; charset=utf-8' }, body: { error: { message: /./ } } }, `${name}, as JSON`)
  }
  t.match(await html(mock, '/checkout/PPG12345678/attempts'), { statusCode: 303, headers: { location: '/checkout/PPG12345678' } }, 'the address that a form leaves in the bar leads to its page')
})

t.test('the language: the merchant proposes, the customer decides', async (t) => {
  const { mock } = await shop(t)
  const rows: Array<[path: string, body: object, wanted: string]> = [
    ['/v2/paymentpage', { depositId: id(), returnUrl: 'https://shop.example/back', language: 'FR' }, 'fr'],
    ['/v2/paymentpage', { depositId: id(), returnUrl: 'https://shop.example/back' }, 'en'],
    ['/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/back', defaultLanguage: 'fr' }, 'fr'],
    ['/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/back', defaultLanguage: 'sw' }, 'en']
  ]
  for (const [path, body, wanted] of rows) {
    const page = new URL((await mock.call('POST', path, body)).body.redirectUrl).pathname
    t.match((await html(mock, page)).body, `<html lang="${wanted}">`)
    const other = wanted === 'fr' ? 'en' : 'fr'
    const chosen = await html(mock, `${page}?lang=${other}`)
    t.match(chosen.body, `<html lang="${other}">`)
    const [cookie] = String(chosen.headers['set-cookie']).split(';')
    t.match((await html(mock, page, { cookie })).body, `<html lang="${other}">`, 'and it stays')
    t.match((await html(mock, `${page}?lang=de`)).body, `<html lang="${wanted}">`)
  }
})

t.test('what the pages load is ours, typed and kept', async (t) => {
  const { mock } = await shop(t)
  const page = new URL((await mock.call('POST', '/v2/paymentpage', { depositId: id(), returnUrl: 'https://shop.example/back', country: 'ZMB' })).body.redirectUrl).pathname
  const { body } = await html(mock, page)
  const loaded = [...body.matchAll(/(?:<(?:link|script|img)[^>]*?(?:href|src))="([^"]+)"/g)].map(([, url]) => url)
  t.ok(loaded.length >= 5)
  for (const url of loaded) {
    const answer = await mock.app.http.inject(url)
    t.match(answer, { statusCode: 200, headers: { 'cache-control': url.includes('?v=') ? /immutable/ : /max-age=\d+/, 'content-type': /^(text\/css|text\/javascript|image\/svg\+xml)/ } }, url)
  }
  t.notMatch(body, /\sstyle=|\son\w+=|<style|<script>|https?:\/\/(?!127)/)
  t.match((await mock.app.http.inject('/static/pages/page.css')).headers['cache-control'], 'max-age=3600')
})

/** The events of a stream, as they come. */
async function follow (t: Test, url: string): Promise<{ events: any[], response: IncomingMessage, ended: Promise<unknown> }> {
  const request = get(url)
  t.teardown(() => { request.destroy() })
  const [response] = await once(request, 'response') as [IncomingMessage]
  response.on('error', () => {})
  const events: any[] = []
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    const parts = text.split('\n\n')
    text = parts.pop()!
    for (const part of parts) if (part.includes('event: state')) events.push(JSON.parse(/^data: (.*)$/m.exec(part)![1]))
  })
  return { events, response, ended: new Promise((resolve) => response.once('close', resolve)) }
}

async function listening ({ app }: Mock): Promise<string> {
  await app.http.listen({ port: 0, host: '127.0.0.1' })
  return `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`
}

t.test('a page is followed from its first state to its last, on a clock that stands still', async (t) => {
  const mock = await build(t, { clock: 'frozen' })
  const url = await listening(mock)
  const depositId = id()
  const terms = { returnUrl: 'https://shop.example/back', country: 'ZMB', amountDetails: { amount: '5', currency: 'ZMW' }, phoneNumber: good }
  const page = new URL((await mock.call('POST', '/v2/paymentpage', { depositId, ...terms })).body.redirectUrl).pathname
  const { checkoutCode } = (await mock.call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: terms.returnUrl, payer: { type: 'MMO', accountDetails: { phoneNumber: good, provider: 'MTN_MOMO_ZMB', allowCustomerToOverride: false } }, amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '5' }] })).body
  const [one, other, phone] = [await follow(t, `${url}${page}/events`), await follow(t, `${url}/checkout/${checkoutCode}/events`), await follow(t, `${url}${phonePath}/events`)]
  const reach = async (events: any[], state: string): Promise<void> => { await until(async () => events.map((event) => event.state), (states) => states.at(-1) === state) }
  t.match(one.response.headers, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' })
  await reach(one.events, 'WAITING_PAYMENT')
  await mock.call('POST', page, { provider: 'MTN_MOMO_ZMB' })
  await reach(one.events, 'ACCEPTED')
  await mock.call('POST', '/__admin/clock/advance', { by: '60ms' })
  await reach(one.events, 'PROCESSING')
  await until(async () => phone.events.at(-1), (event) => event.prompts.length === 1)
  await mock.call('POST', `/checkout/${checkoutCode}/attempts`, {})
  await mock.call('POST', '/__admin/clock/advance', { by: '1s' })
  await Promise.all([one.ended, other.ended])
  t.strictSame(one.events.map(({ state }) => state), ['WAITING_PAYMENT', 'ACCEPTED', 'PROCESSING', 'COMPLETED'])
  t.strictSame([other.events[0].state, other.events.at(-1).state], ['WAITING_PAYMENT', 'COMPLETED'])
  t.strictSame(one.events.at(-1), (await mock.call('GET', page)).body, 'an event is what the page shows')
  await until(async () => phone.events.at(-1), (event) => event.messages.length === 2)
  const late = await follow(t, `${url}${page}/events`)
  await late.ended
  t.equal(late.events.length, 1, 'who comes after the end hears it, and that is all')
  const next = new URL((await mock.call('POST', '/v2/paymentpage', { depositId: id(), ...terms })).body.redirectUrl).pathname
  const expiring = await follow(t, `${url}${next}/events`)
  await mock.call('POST', '/__admin/clock/advance', { by: '15m' })
  await expiring.ended
  t.equal(expiring.events.at(-1).state, 'EXPIRED')
  t.match(await mock.call('GET', `${page.slice(0, -1)}x/events`), { status: 404 })
})

t.test('there is an end to how many follow', async (t) => {
  const mock = await build(t)
  const url = await listening(mock)
  const streams = await Promise.all(Array.from({ length: 201 }, () => follow(t, `${url}${phonePath}/events`)))
  t.strictSame(streams.map(({ response }) => response.statusCode).sort().slice(-2), [200, 503])
  t.equal(streams.filter(({ response }) => response.statusCode === 200).length, 200)
})

t.test('who follows does not keep the server from stopping', async (t) => {
  const { ready, stop } = await serve(t)
  const { ended, response } = await follow(t, `${ready.url}${phonePath}/events`)
  const { code } = await stop()
  await ended
  t.equal(code, 0)
  t.ok(response.complete, 'the stream was ended, not cut off when patience was')
})

t.test('a checkout whose attempt never ends says so when its time is up', async (t) => {
  const here = await shop(t)
  const { mock } = here
  const { checkoutCode } = (await mock.call('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/back', expiresAfter: 3, amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '5' }] })).body
  const page = `/checkout/${checkoutCode}`
  await mock.call('POST', `${page}/attempts`, { provider: 'MTN_MOMO_ZMB', phoneNumber: '260763456129' })
  await pass(here, 60_000)
  t.match((await mock.call('GET', page)).body, { state: 'PROCESSING', timeIsUp: false, returnUrl: undefined })
  await pass(here, 120_000)
  t.match((await mock.call('GET', page)).body, { state: 'PROCESSING', timeIsUp: true, returnUrl: `https://shop.example/back?checkoutCode=${checkoutCode}` })
  t.match((await html(mock, page)).body, /The time is up, and a payment is still on its way[\s\S]*Back to Momock Demo Shop/)
  const { attempts: [{ depositId }] } = (await mock.call('GET', page)).body
  await answer(here, depositId, 'approve', '260763456129')
  t.match((await mock.call('GET', page)).body, { state: 'COMPLETED' }, 'money that comes late still counts')
})
