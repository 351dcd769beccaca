import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  Route
} from 'playwright-core'
import t, { type Test } from 'tap'
import type { Momock } from '../../src/index.ts'
import { call, chromiumPath, hasBrowser } from '../support/browser.ts'
import { makeLong } from '../support/full.ts'
import { limitEachTest } from '../support/limits.ts'
import { checkAccessibility, sharedBrowser } from '../support/shared-browser.ts'
import { id } from '../support/helper.ts'
import { blocksOf } from '../docs/markdown.ts'
import { createMomock } from '../support/momock.ts'

/**
 * The pages in a real browser. Without one they are skipped, loudly; where BROWSER_TESTS=required
 * they fail instead.
 */

const isRequired = process.env.BROWSER_TESTS === 'required'
if (!hasBrowser && !isRequired) {
  console.error(
    `\n*** BROWSER TESTS SKIPPED: there is no ${chromiumPath}. Install it (apt-get install ` +
      'chromium), or name another in CHROMIUM_PATH. ***\n'
  )
}
const options = { skip: !hasBrowser && !isRequired && `no browser at ${chromiumPath}` }
const longOptions = makeLong(options)

const good = '260763456789'
const declined = '260763456039'
const timeout = 60_000

// Most of the time is spent waiting, so they wait together.
t.jobs = 4
limitEachTest()

let browser: Browser
let mock: Momock
let merchant: string

t.before(async () => {
  if (!hasBrowser && !isRequired) return
  browser = await sharedBrowser()
  mock = await createMomock({
    accounts: [
      {
        name: 'default',
        companyName: 'Corner Shop',
        providers: ['ZMB', 'KEN', 'SEN', 'COD', 'BFA']
      }
    ]
  })
  const server = createServer((_request, response) => {
    response
      .setHeader('content-type', 'text/html')
      .end('<!doctype html><html lang="en"><title>The shop</title><h1>The shop</h1>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  merchant = `http://127.0.0.1:${(server.address() as AddressInfo).port}/back`
  t.teardown(async () => {
    await mock.close()
    server.closeAllConnections()
    server.close()
  })
})

/** Uses the default account, or a new account with a scenario for its deposits. */
const ask = (method: string, path: string, body?: object): Promise<any> =>
  call(mock.url, method, path, body)

async function session (terms: object = {}, depositId = id()): Promise<string> {
  return (await ask('POST', '/v2/paymentpage', { depositId, returnUrl: merchant, ...terms }))
    .redirectUrl
}

async function checkout (terms: object = {}): Promise<string> {
  return (
    await ask('POST', '/v2/checkouts', {
      checkoutId: id(),
      returnUrl: merchant,
      countries: ['ZMB'],
      amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '15.50' }],
      ...terms
    })
  ).redirectUrl
}

const fixed = {
  amountDetails: { amount: '15.50', currency: 'ZMW' },
  phoneNumber: good,
  country: 'ZMB'
}
/** Values of a deposit that waits for the phone. */
const waits = { ...fixed, phoneNumber: '260763459993', metadata: [{ momock: 'phone' }] }

const spare: BrowserContext[] = []

/**
 * Each browser context belongs to one test at a time. It is cleared and used again, because a new
 * one costs a quarter of a second.
 */
async function profile (settings: BrowserContextOptions): Promise<BrowserContext> {
  const used = Object.keys(settings).length === 0 ? spare.pop() : undefined
  const context =
    used ??
    (await browser.newContext({
      viewport: { width: 360, height: 740 },
      reducedMotion: 'reduce',
      ...settings
    }))
  context.setDefaultTimeout(timeout)
  return context
}

const leave = new WeakMap<Page, () => void>()

/** Opens a page. The test fails if it loads foreign addresses, breaks its policy, or throws. */
async function open (t: Test, url: string, settings: BrowserContextOptions = {}): Promise<Page> {
  const context = await profile(settings)
  const page = await context.newPage()
  t.teardown(async () => {
    await page.close()
    await context.clearCookies()
    if (Object.keys(settings).length === 0) spare.push(context)
    else await context.close()
  })
  // The return to the shop waits until the test allows it: a page under inspection must not
  // disappear.
  const { promise, resolve } = Promise.withResolvers<void>()
  leave.set(page, resolve)
  await page.route(`${merchant}*`, async (route) => {
    await promise
    await route.continue()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(mock.url) && !request.url().startsWith(merchant)) {
      t.fail(`it asks for ${request.url()}`)
    }
  })
  page.on('console', (message) => {
    if (/Content Security Policy|Refused to/.test(message.text())) t.fail(message.text())
  })
  page.on('pageerror', (error) => t.fail(error.message))
  page.on('dialog', (dialog) => t.fail(`a script of somebody else ran: ${dialog.message()}`))
  await page.goto(url)
  return page
}

const state = async (page: Page, wanted: string): Promise<void> => {
  await page.locator(`main[data-state="${wanted}"]`).waitFor()
}
const heading = (page: Page): Promise<string> => page.getByRole('heading', { level: 1 }).innerText()
const isAtShop = async (page: Page): Promise<URL> => {
  leave.get(page)!()
  await page.waitForURL(`${merchant}*`)
  return new URL(page.url())
}

/** Checks that a page has no accessibility problems and is not wider than the screen. */
async function inspect (t: Test, page: Page, name: string): Promise<void> {
  await checkAccessibility(t, page, name)
  const [wide, seen] = await page.evaluate<number[]>(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]'
  )
  t.ok(wide <= seen, `${name}: ${wide} of ${seen} pixels`)
}

t.test(
  'a customer pays a fixed amount, approves on the phone and returns to the shop',
  options,
  async (t) => {
    const depositId = id()
    const page = await open(
      t,
      await session({ ...waits, reason: '<script>alert(1)</script>' }, depositId)
    )
    t.equal(await heading(page), 'Pay Corner Shop')
    t.ok(await page.getByText('<script>alert(1)</script>').isVisible(), 'shown, not run')
    await inspect(t, page, 'payment page')
    await page.getByRole('radio', { name: 'MTN' }).check()
    await page.getByRole('button', { name: 'Pay 15.50 ZMW' }).click()
    await state(page, 'PROCESSING')
    t.equal(await heading(page), 'Confirm on your phone')
    await inspect(t, page, 'waiting')
    const [phone] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('link', { name: /Open the phone/ }).click()
    ])
    await state(phone, 'PROMPT')
    await inspect(t, phone, 'phone with a prompt')
    // It goes back to the shop soon afterwards.
    const completed = state(page, 'COMPLETED')
    await phone.getByRole('button', { name: 'Approve' }).click()
    await phone.getByText(/You paid 15.50.ZMW to Corner Shop\./).waitFor()
    await state(phone, 'IDLE')
    await completed
    t.equal(
      await page.locator('#news').textContent(),
      'Payment complete',
      'who hears the page is told'
    )
    t.equal((await isAtShop(page)).searchParams.get('depositId'), depositId)
    t.equal((await ask('GET', `/v2/deposits/${depositId}`)).data.status, 'COMPLETED')
  }
)

/** Answers that a page gets while the server is away for a moment. */
const interruptions: Array<[what: string, number: string, (route: Route) => Promise<void>]> = [
  ['no answer', '260763459994', (route) => route.abort()],
  ['an error', '260763459995', (route) => route.fulfill({ status: 503, body: '<main id="main">' })]
]
for (const [what, phoneNumber, interrupt] of interruptions) {
  t.test(`a page that gets ${what} for its last change asks again`, longOptions, async (t) => {
    const page = await open(t, await session({ ...waits, phoneNumber }))
    await page.getByRole('radio', { name: 'MTN' }).check()
    await page.getByRole('button', { name: /^Pay/ }).click()
    await state(page, 'PROCESSING')
    let count = 0
    await page.route(
      (url) => url.pathname === new URL(page.url()).pathname,
      (route) => (count++ === 0 ? interrupt(route) : route.continue())
    )
    const phone = await open(t, `${mock.url}/__admin/phone/${phoneNumber}`)
    await phone.getByRole('button', { name: 'Approve' }).click()
    await state(page, 'COMPLETED')
    t.equal(count, 2)
  })
}

t.test('a customer declines on the phone', longOptions, async (t) => {
  const depositId = id()
  const page = await open(t, await session({ ...waits, phoneNumber: '260763459991' }, depositId))
  await page.getByRole('radio', { name: 'MTN' }).check()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await state(page, 'PROCESSING')
  const phone = await open(t, `${mock.url}/__admin/phone/260763459991`)
  await phone.getByRole('button', { name: 'Decline' }).click()
  await state(page, 'FAILED')
  t.match(
    await page.locator('main').innerText(),
    /The payment was not approved\. No money was taken\./
  )
  t.equal((await isAtShop(page)).searchParams.get('depositId'), depositId)
})

t.test(
  'a customer enters number and amount in French, and the page updates',
  longOptions,
  async (t) => {
    const depositId = id()
    const page = await open(t, await session({ language: 'FR' }, depositId))
    t.equal(await heading(page), 'Payer Corner Shop')
    await page.getByRole('button', { name: 'English' }).click()
    t.equal(await heading(page), 'Pay Corner Shop')
    await page.getByRole('button', { name: 'Français' }).click()
    await page.getByLabel('Montant').fill('15,5')
    await page.getByLabel('Pays').selectOption('KEN')
    await page.waitForURL(/country=KEN/)
    await page.getByLabel('Numéro de téléphone').pressSequentially('+260763456789')
    await page.waitForURL(/country=ZMB/)
    t.equal(
      await page.getByLabel('Numéro de téléphone').inputValue(),
      '763456789',
      'its country is chosen'
    )
    t.equal(
      await page.getByLabel('Montant en ZMW').inputValue(),
      '15,5',
      'and the amount came along'
    )
    t.ok(await page.getByRole('radio', { name: 'MTN' }).isChecked())
    await page.getByLabel('Numéro de téléphone').fill('973456789')
    await page.getByText('Ce numéro est chez Airtel.').waitFor()
    t.ok(await page.getByRole('radio', { name: 'Airtel' }).isChecked())
    const limits = await page.locator('#amountHint').innerText()
    t.match(limits, /^Airtel : entre .* et .* ZMW$/)
    await page.getByLabel('Montant en ZMW').fill('0')
    await page.getByRole('button', { name: /^Payer/ }).click()
    await page.getByRole('alert').waitFor()
    t.equal(
      await page.locator('#amountProblem').innerText(),
      'Le montant est inférieur à ce que cet opérateur accepte.'
    )
    await inspect(t, page, 'a form with a problem')
    await page.getByLabel('Montant en ZMW').fill('15,50')
    await page.getByRole('button', { name: /^Payer/ }).click()
    await state(page, 'COMPLETED')
    t.equal(await heading(page), 'Paiement effectué')
    t.match((await ask('GET', `/v2/deposits/${depositId}`)).data, {
      amount: '15.50',
      payer: { accountDetails: { phoneNumber: '260973456789', provider: 'AIRTEL_OAPI_ZMB' } }
    })
    await isAtShop(page)
  }
)

t.test('a customer pays with the keyboard', longOptions, async (t) => {
  const page = await open(t, await session({ country: 'ZMB' }))
  const focused = (): Promise<string> =>
    page.evaluate<string>(
      'document.activeElement.textContent.trim() || document.activeElement.name'
    )
  const walk: string[] = []
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) {
      await page.keyboard.press(key)
      walk.push(await focused())
    }
  }
  await press('Tab', 'Tab', 'Tab', 'Tab')
  await page.keyboard.type('763456789')
  await page.getByText('This is a number of MTN.').waitFor()
  await press('Tab', 'ArrowUp', 'ArrowDown', 'Tab')
  await page.keyboard.type('20')
  await press('Tab')
  t.strictSame(walk, [
    'Skip to the content',
    'English',
    'Français',
    'phoneNumber',
    'provider',
    'provider',
    'provider',
    'amount',
    'Pay'
  ])
  t.not(
    await page.evaluate('getComputedStyle(document.activeElement).outlineStyle'),
    'none',
    'what has the focus is seen'
  )
  await page.keyboard.press('Enter')
  await isAtShop(page)
})

t.test('a customer pays without scripts', makeLong(options), async (t) => {
  const page = await open(t, await session({ reason: 'Two tickets' }), { javaScriptEnabled: false })
  await page.getByLabel('Country').selectOption('ZMB')
  await page.getByRole('button', { name: 'Show providers' }).click()
  await page.getByLabel('Phone number').fill('763456789')
  await page.getByRole('radio', { name: 'MTN' }).check()
  await page.getByLabel('Amount in ZMW').fill('0')
  await page.getByRole('button', { name: 'Français' }).click()
  await page.getByRole('button', { name: /^Payer/ }).click()
  t.equal(
    await page.locator('#amountProblem').innerText(),
    'Le montant est inférieur à ce que cet opérateur accepte.',
    'what was typed came along'
  )
  await page.getByRole('button', { name: 'English' }).click()
  t.equal(await page.getByLabel('Phone number').inputValue(), '763456789')
  t.ok(await page.getByRole('radio', { name: 'MTN' }).isChecked())
  await page.getByLabel('Amount in ZMW').fill('20')
  await page.getByLabel('Phone number').press('Enter')
  await isAtShop(page)
})

t.test(
  'a refused form shows all problems, and Back and reload send nothing again',
  options,
  async (t) => {
    const url = await session({ country: 'ZMB' })
    const page = await open(t, url)
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') sent.push(request.url())
    })
    await page.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.getByRole('alert').waitFor()
    t.equal(
      await page.getByRole('alert').innerText(),
      'Please correct the 3 fields that are marked below.'
    )
    t.strictSame(await page.locator('.wrong').allInnerTexts(), [
      'Please enter a phone number of Zambia.',
      'Please choose a provider.',
      'Please enter an amount, such as 15 or 15.50.'
    ])
    t.equal(await page.evaluate('document.activeElement.name'), 'phoneNumber')
    await inspect(t, page, 'a form with three problems')
    await page.reload()
    t.equal(await page.locator('.wrong').count(), 3)
    await page.goBack()
    t.equal(page.url(), url)
    t.equal(await page.locator('.wrong').count(), 0)
    t.strictSame(sent, [url], 'one form was sent')
  }
)

t.test('a tester fills in a test number and pays with an outcome', longOptions, async (t) => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await open(t, await session({ country: 'ZMB' }), { javaScriptEnabled })
    await page.getByLabel('Amount in ZMW').fill('17')
    await page.getByText('Test numbers').click()
    if (javaScriptEnabled) await inspect(t, page, 'test numbers')
    await page.getByRole('button', { name: '260763456029' }).click()
    await page.waitForURL(/phoneNumber=260763456029/)
    t.equal(await page.getByLabel('Phone number').inputValue(), '763456029')
    t.equal(await page.getByLabel('Amount in ZMW').inputValue(), '17')
    t.ok(await page.getByRole('radio', { name: 'MTN' }).isChecked())
    await page.getByRole('button', { name: 'has too little money' }).click()
    // One wait: the page goes on to the shop by itself.
    await page.locator('main', { hasText: /not enough money in your wallet/ }).waitFor()
    await isAtShop(page)
  }
  const page = await open(t, await session())
  const [shop] = await Promise.all([
    isAtShop(page),
    page.getByRole('link', { name: 'Back to Corner Shop without paying' }).click()
  ])
  t.ok(shop.searchParams.has('depositId'))
})

t.test('a large amount breaks before its currency on a narrow screen', longOptions, async (t) => {
  const page = await open(
    t,
    await checkout({
      countries: ['COD'],
      amounts: [{ country: 'COD', currency: 'CDF', amount: '2999999.50' }]
    })
  )
  await inspect(t, page, 'a large amount')
  const lines = await page.evaluate<number>(`(() => {
    const range = document.createRange()
    const [text] = document.querySelector('.price').childNodes
    range.setStart(text, 0)
    range.setEnd(text, text.data.indexOf(' '))
    return range.getClientRects().length
  })()`)
  t.equal(lines, 1, 'the number is on one line')
})

t.test('the hint and the provider of a number disappear with it', longOptions, async (t) => {
  const page = await open(t, await session({ country: 'ZMB' }))
  const phone = page.getByLabel('Phone number')
  const chosen = (): Promise<string | null> =>
    page.evaluate<string | null>("document.querySelector('[name=provider]:checked')?.value ?? null")
  const hint = page.locator('#phoneHint')
  await phone.fill('763456789')
  await page.getByText('This is a number of MTN.').waitFor()
  t.equal(await chosen(), 'MTN_MOMO_ZMB')
  t.equal(await page.locator('.limits:visible').count(), 1)
  await phone.fill('7')
  t.equal(await hint.innerText(), '9 digits after +260')
  t.equal(await chosen(), null)
  t.equal(await page.locator('.limits:visible').count(), 3)
  await phone.fill('763456789')
  await page.getByText('This is a number of MTN.').waitFor()
  await phone.fill('000000000')
  await page.getByText('We do not know whose number this is.').waitFor()
  t.equal(await chosen(), null)
  await page.getByRole('radio', { name: 'Zamtel' }).check()
  await phone.fill('00000000')
  t.equal(await chosen(), 'ZAMTEL_ZMB', 'what was chosen by hand does not go with the number')
  await page.getByLabel('Amount in ZMW').fill('20')
  await phone.fill('763456789')
  await page.getByText('This is a number of MTN.').waitFor()
  await page.getByRole('button', { name: 'Français' }).click()
  t.equal(await hint.innerText(), 'Ce numéro est chez MTN.', 'in another language it is still so')
  t.equal(await page.getByLabel('Montant en ZMW').inputValue(), '20')
  await page.getByLabel('Numéro de téléphone').fill('973456789')
  await page.getByLabel('Numéro de téléphone').press('Enter')
  // State and text are read at once: on a busy machine, a second look at the page failed once.
  await page.locator('main[data-state="COMPLETED"]', { hasText: /20,00.ZMW/ }).waitFor()
  const [{ phoneNumber, provider }] = (
    await ask('GET', '/__admin/payments?phoneNumber=260973456789&kind=deposit')
  ).payments.filter(({ amount }: any) => amount === '20.00')
  t.strictSame(
    [phoneNumber, provider],
    ['260973456789', 'AIRTEL_OAPI_ZMB'],
    'who is quicker than the answer pays with the right one'
  )
  await isAtShop(page)
})

t.test('a page without events polls', longOptions, async (t) => {
  const page = await open(t, await session({ ...fixed }))
  await page.route('**/events', (route) => route.fulfill({ status: 503 }))
  await page.reload()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await isAtShop(page)
})

t.test('an expired payment page says so', longOptions, async (t) => {
  const depositId = id()
  const late = { authorization: 'Bearer sandbox-late', 'content-type': 'application/json' }
  const send = (method: string, path: string, body: object) =>
    fetch(mock.url + path, { method, headers: late, body: JSON.stringify(body) })
  const { redirectUrl } = (await (
    await send('POST', '/v2/paymentpage', { depositId, returnUrl: merchant, ...fixed })
  ).json()) as { redirectUrl: string }
  const page = await open(t, redirectUrl)
  await send('POST', '/__admin/clock/advance', { by: '15m' })
  await state(page, 'EXPIRED')
  t.equal(await heading(page), 'This page has expired')
  await inspect(t, page, 'expired')
  await page.reload()
  t.equal(await page.getByRole('button').count(), 0, 'and nothing can be paid')
})

t.test('a checkout completes at the second attempt and returns at once', longOptions, async (t) => {
  const url = await checkout({
    reason: { en: 'Order 1234' },
    payer: {
      type: 'MMO',
      accountDetails: {
        phoneNumber: declined,
        provider: 'MTN_MOMO_ZMB',
        allowCustomerToOverride: true
      }
    }
  })
  const page = await open(t, url)
  t.match(await page.locator('.clock').innerText(), /^1[45]:\d\d$/)
  await page.getByRole('button', { name: 'Pay 15.50 ZMW' }).click()
  await page.getByText('Attempts so far').waitFor()
  await state(page, 'WAITING_PAYMENT')
  t.match(await page.locator('.attempts li').allInnerTexts(), [
    /Failed.*260763456039 with MTN[\s\S]*The payment was not approved\./
  ])
  await inspect(t, page, 'checkout after an attempt')
  await page.getByLabel('Phone number').fill('763456789')
  // The page leads on by itself, so the click must not wait for the first of its navigations.
  await page.getByRole('button', { name: 'Pay 15.50 ZMW' }).click({ noWaitAfter: true })
  const shop = await isAtShop(page)
  t.equal(shop.searchParams.get('checkoutCode'), new URL(url).pathname.split('/').at(-1))
})

t.test('a checkout returns by each method and can be cancelled', longOptions, async (t) => {
  const wallet = (allowCustomerToOverride: boolean) => ({
    payer: {
      type: 'MMO',
      accountDetails: { phoneNumber: good, provider: 'MTN_MOMO_ZMB', allowCustomerToOverride }
    }
  })
  await Promise.all([
    (async () => {
      const page = await open(t, await checkout({ returnMethod: 'COUNTDOWN', ...wallet(false) }))
      t.equal(
        await page.getByLabel('Phone number').count(),
        0,
        'what may not be changed is no field'
      )
      await Promise.all([
        // Each number is there for a second only, which a slow machine may miss.
        page.getByText(/You are taken back to Corner Shop in [1-4] seconds?\./).waitFor(),
        page.getByRole('button', { name: /^Pay/ }).click({ noWaitAfter: true })
      ])
      await isAtShop(page)
    })(),
    (async () => {
      const page = await open(
        t,
        await checkout({ returnMethod: 'CUSTOMER_ACTION', defaultLanguage: 'fr', ...wallet(true) }),
        { colorScheme: 'dark' }
      )
      await inspect(t, page, 'checkout, dark')
      await page.getByRole('button', { name: /^Payer/ }).click()
      await state(page, 'COMPLETED')
      await inspect(t, page, 'checkout complete, dark')
      await Promise.all([
        isAtShop(page),
        page.getByRole('link', { name: 'Retour à Corner Shop' }).click()
      ])
    })(),
    (async () => {
      const page = await open(t, await checkout({ returnMethod: 'CUSTOMER_ACTION' }))
      await page.getByRole('button', { name: 'Cancel the payment' }).click()
      await state(page, 'CANCELLED')
      t.equal(await heading(page), 'Payment cancelled')
    })()
  ])
})

t.test('a customer authorises at a redirecting provider', longOptions, async (t) => {
  const depositId = id()
  const page = await open(
    t,
    await session(
      {
        country: 'SEN',
        amountDetails: { amount: '500', currency: 'XOF' },
        phoneNumber: '221773456789'
      },
      depositId
    )
  )
  await page.getByRole('radio', { name: 'Wave' }).check()
  await page.getByRole('button', { name: /^Pay/ }).click()
  await page.waitForURL(/\/authorise\//)
  t.equal(await heading(page), 'Authorise a payment')
  await inspect(t, page, 'authorisation')
  await page.getByRole('button', { name: 'Decline' }).click()
  await page.waitForURL(/\/pay\//)
  t.equal(await heading(page), 'Payment failed')
  t.equal((await isAtShop(page)).searchParams.get('depositId'), depositId)
  t.equal((await ask('GET', `/v2/deposits/${depositId}`)).data.status, 'FAILED')
})

t.test('the form shows currencies and codes of each provider', longOptions, async (t) => {
  const page = await open(t, await session({ country: 'COD' }))
  await page.getByLabel('Phone number').fill('813456789')
  await page.getByRole('radio', { name: 'USD' }).check()
  await page.getByLabel('Amount').fill('10')
  await page.getByRole('button', { name: /^Pay/ }).click()
  await isAtShop(page)
  const coded = await open(t, await session({ country: 'BFA' }))
  await coded.getByRole('radio', { name: 'Moov' }).check()
  t.notOk(await coded.getByLabel('Payment code').isVisible())
  await coded.getByRole('radio', { name: 'Orange' }).check()
  t.ok(await coded.getByLabel('Payment code').isVisible())
})

t.test('the sample of docs/pages.md works', longOptions, async (t) => {
  const own = await createMomock({
    accounts: [{ name: 'default', approval: 'phone', providers: ['ZMB'] }]
  })
  t.teardown(own.close)
  const depositId = id()
  const { redirectUrl } = await call(own.url, 'POST', '/v2/paymentpage', {
    depositId,
    returnUrl: merchant,
    country: 'ZMB'
  })
  const { text } = blocksOf('docs/pages.md').find(({ language }) => language === 'js')!
  const page = await browser.newPage()
  page.setDefaultTimeout(timeout)
  t.teardown(() => page.close())
  const Sample = Object.getPrototypeOf(async () => {}).constructor
  await new Sample(
    'page',
    'mock',
    'redirectUrl',
    'depositId',
    text.replace('https://shop.example/back', merchant)
  )(page, own, redirectUrl, depositId)
  t.equal((await own.payment('deposit', depositId)).status, 'COMPLETED')
})
