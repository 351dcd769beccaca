import t from 'tap'
import { id, type Call } from '../support/helper.ts'
import { good } from '../support/customers.ts'
import { requests } from '../support/examples.ts'
import { long } from '../support/full.ts'
import { openSandbox } from '../support/sandboxes.ts'

/** A checkout or a split payment and its parts are shown as they are at one moment. */

const isOpen = (status: string): boolean => !['COMPLETED', 'FAILED'].includes(status)

/** Tells whether a checkout fits its attempt: it is in progress as long as that is. */
function fitsAttempts (status: string, [attempt]: string[]): boolean {
  if (attempt === undefined) return status === 'WAITING_PAYMENT'
  return status === (isOpen(attempt) ? 'PROCESSING' : attempt)
}

/** Tells whether a split payment fits its payouts: it ends with the last of them. */
function fitsPayouts (status: string, payouts: string[]): boolean {
  return isOpen(status) === payouts.some(isOpen)
}

/** Payments that are looked at, and the page of the checkout. */
interface Shown {
  checkoutId: string
  page: string
  splitPaymentId: string
}

type View = [
  name: string,
  path: (shown: Shown) => string,
  read: (body: any) => [status: string, parts: Array<{ status: string }>],
  fits: (status: string, parts: string[]) => boolean
]

const views: View[] = [
  [
    'status of a checkout',
    ({ checkoutId }) => `/v2/checkouts/${checkoutId}`,
    ({ data }) => [data.status, data.depositsHistory ?? []],
    fitsAttempts
  ],
  [
    'page of a checkout',
    ({ page }) => page,
    ({ state, attempts }) => [state, attempts],
    fitsAttempts
  ],
  [
    'record of a checkout',
    ({ checkoutId }) => `/__admin/payments/checkout/${checkoutId}`,
    ({ status, parts }) => [status, parts],
    fitsAttempts
  ],
  [
    'status of a split payment',
    ({ splitPaymentId }) => `/v2/split-payments/${splitPaymentId}`,
    ({ data }) => [data.status, data.splits],
    fitsPayouts
  ]
]

async function create (call: Call): Promise<Shown> {
  const { splitPaymentId, ...split } = requests.v2.splitPayment!()
  const checkoutId = id()
  await call('POST', '/v2/split-payments', { splitPaymentId, ...split })
  const { body } = await call('POST', '/v2/checkouts', {
    checkoutId,
    returnUrl: 'https://shop.example/',
    amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '15' }]
  })
  return { checkoutId, splitPaymentId, page: new URL(body.redirectUrl).pathname }
}

t.test('a view of a payment with parts is of one moment', long, async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  let shown = await create(call)
  const end = new AbortController()
  const watch = async ([, path, read]: View): Promise<string[]> => {
    const seen = new Set<string>()
    while (!end.signal.aborted) {
      const [status, parts] = read((await call('GET', path(shown))).body)
      seen.add(JSON.stringify([status, parts.map((part) => part.status)]))
    }
    return [...seen]
  }
  const watches = views.flatMap((view) => [watch(view), watch(view)])
  for (let round = 0; round < 12; round++) {
    shown = await create(call)
    const choice = { provider: 'MTN_MOMO_ZMB', phoneNumber: good }
    await call('POST', `${shown.page}/attempts`, choice)
    await call('POST', '/__admin/clock/advance', { by: '5s' })
  }
  end.abort()
  for (const [n, seen] of (await Promise.all(watches)).entries()) {
    const [name, , , fits] = views[Math.floor(n / 2)]
    const unfit = seen.filter((text) => !fits(...(JSON.parse(text) as [string, string[]])))
    t.strictSame(unfit, [], `${name}, of ${seen.length} different`)
  }
})
