import { NotPossible } from './check.ts'
import type { DriveName } from './config.ts'
import { kinds, type MomockClient } from './mock.ts'
import type { Random } from './random.ts'
import type { Values } from './template.ts'

/** Payments that the exam starts itself: the service knows them, the merchant does not. */

/** Kind of payment that the exam can start itself. */
export type StrangerKind = Exclude<DriveName, 'retry'>

/** Header that marks requests of the exam, to separate them from those of the merchant. */
const mark = { 'x-momock-exam': 'stranger' }

/** Starts a payment in the merchant's account; its identifier. */
export async function startPayment (
  mock: MomockClient,
  random: Random,
  values: Values,
  kind: StrangerKind,
  version: 'v1' | 'v2'
): Promise<string> {
  const id = random.uuid()
  const body =
    kind === 'refund'
      ? { refundId: id, ...(await refundedDeposit(mock, random, values, version)) }
      : bodies[version][kind](id, values)
  const url = `${mock.url}${version === 'v2' ? '/v2' : ''}/${kinds[kind].path}`
  const headers = {
    ...mark,
    authorization: `Bearer ${mock.token}`,
    'content-type': 'application/json'
  }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (!response.ok || text.includes('REJECTED')) {
    throw new NotPossible(
      `the mock did not take a ${kind} with the values of the configuration: ${text}`
    )
  }
  return id
}

/** A completed deposit, as a refund of it names it. */
async function refundedDeposit (
  mock: MomockClient,
  random: Random,
  values: Values,
  version: 'v1' | 'v2'
): Promise<object> {
  const depositId = await startPayment(mock, random, values, 'deposit', version)
  await mock.move('deposit', depositId, 'COMPLETED')
  return version === 'v2'
    ? { depositId, amount: values.amount, currency: values.currency }
    : { depositId, amount: values.amount }
}

const account = ({ phoneNumber, provider }: Values): object => ({
  type: 'MMO',
  accountDetails: { phoneNumber, provider }
})
const v1Party = ({ phoneNumber }: Values): object => ({
  type: 'MSISDN',
  address: { value: phoneNumber }
})
const v1Terms = ({ amount, currency, provider }: Values): object => ({
  amount,
  currency,
  correspondent: provider,
  customerTimestamp: '2026-01-01T00:00:00Z',
  statementDescription: 'Exam'
})

const bodies: Record<
  'v1' | 'v2',
  Record<Exclude<StrangerKind, 'refund'>, (id: string, values: Values) => object>
> = {
  v2: {
    deposit: (depositId, values) => ({
      depositId,
      amount: values.amount,
      currency: values.currency,
      payer: account(values)
    }),
    payout: (payoutId, values) => ({
      payoutId,
      amount: values.amount,
      currency: values.currency,
      recipient: account(values)
    }),
    checkout: (checkoutId) => ({ checkoutId, returnUrl: 'https://shop.example/thanks' })
  },
  v1: {
    deposit: (depositId, values) => ({ depositId, payer: v1Party(values), ...v1Terms(values) }),
    payout: (payoutId, values) => ({ payoutId, recipient: v1Party(values), ...v1Terms(values) }),
    checkout: () => ({})
  }
}
