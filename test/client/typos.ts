import type { FailureCode, MomockClient, Payment, PaymentStatus, RejectionCode } from 'momock'

/**
 * Programs that the types of the client refuse. `npm run types` compiles this file against the
 * source, and test/cli/package.test.ts against the packed package. Nothing runs it.
 */

declare module 'momock' {
  interface OwnCodes {
    MY_MONEY_ZMB: true
  }
}

declare const mock: MomockClient

// These are right.
await mock.wait('deposit', 'id', 'acknowledged')
await mock.wait('splitPayment', 'id', { until: 'PAYOUT_FAILED', timeout: '5s' })
await mock.move('payout', 'id', 'FAILED', 'RECIPIENT_NOT_FOUND')
await mock.provider('MTN_MOMO_ZMB', { DEPOSIT: 'CLOSED' })
await mock.provider('MY_MONEY_ZMB', { DEPOSIT: 'CLOSED' })
await mock.scenario({ when: { provider: ['MTN_MOMO_ZMB', 'MY_MONEY_ZMB'] }, latency: '1s' })
await mock.configure({ providers: ['ZMB', { provider: 'MTN_MOMO_GHA' }] })
await mock.payments({ provider: 'MTN_MOMO_ZMB', status: 'FAILED', kind: 'deposit' })
await mock.requests({ operation: 'v2InitiateDeposit' })
await mock.coverage({ groups: ['kinds'] })

await mock.fail('deposit', 'INSUFFICIENT_BALANCE', { times: 1 })
await mock.reject('refund', 'REFUND_IN_PROGRESS')
await mock.outage('MTN_MOMO_ZMB', { operations: ['DEPOSIT'], state: 'DELAYED' })
await mock.expect({ payment: { kind: 'deposit', status: 'FAILED' } })
await mock.on('status', ({ status }) => status === 'COMPLETED')

// @ts-expect-error: an unknown type of event
await mock.on('stauts', () => {})
// @ts-expect-error: a field of another type of event
await mock.on('accepted', ({ httpStatus }) => httpStatus)
// @ts-expect-error: a failure code of another kind
await mock.fail('payout', 'INSUFFICIENT_BALANCE')
// @ts-expect-error: a kind that cannot fail by itself
await mock.fail('splitPayment', 'UNSPECIFIED_FAILURE')
// @ts-expect-error: a rejection code of another kind
await mock.reject('deposit', 'REFUND_IN_PROGRESS')
// @ts-expect-error: a deposit has no queue
await mock.enqueue('deposit', '1m')
// @ts-expect-error: an HTTP error that the service does not answer
await mock.refuse('deposit', 404)
// @ts-expect-error: an operation of an outage
await mock.outage('MTN_MOMO_ZMB', { operations: ['deposit'] })
// @ts-expect-error: a status of an expected payment
await mock.expect({ payment: { status: 'SUCCESS' } })
// @ts-expect-error: a failure code of a payment to wait for
await mock.waitForPayment({ failureCode: 'NO_MONEY' })
// @ts-expect-error: a kind
await mock.wait('deposits', 'id')
// @ts-expect-error: a goal
await mock.wait('deposit', 'id', 'done')
// @ts-expect-error: a goal among options
await mock.wait('deposit', 'id', { until: 'COMPLETE' })
// @ts-expect-error: a status
await mock.move('deposit', 'id', 'COMPLETE')
// @ts-expect-error: a failure code
await mock.move('deposit', 'id', 'FAILED', 'INSUFFICIENT_FUNDS')
// @ts-expect-error: a failure code of a script
await mock.scenario({ script: [{ after: '1s', to: 'FAILED', failureCode: 'NO_MONEY' }] })
// @ts-expect-error: the same in its short form
await mock.scenario({ fail: 'NO_MONEY' })
// @ts-expect-error: a status of a script
await mock.scenario({ script: [{ after: '1s', to: 'SUCCEEDED' }] })
// @ts-expect-error: a rejection code
await mock.scenario({ reject: 'INVALID_AMMOUNT' })
// @ts-expect-error: a provider of a scenario
await mock.scenario({ when: { provider: 'MTN_ZMB' }, latency: '1s' })
// @ts-expect-error: a provider in a list
await mock.scenario({ when: { provider: ['MTN_MOMO_ZMB', 'MTN_ZMB'] }, latency: '1s' })
// @ts-expect-error: a country of a scenario
await mock.scenario({ when: { country: 'ZM' }, latency: '1s' })
// @ts-expect-error: a kind of a scenario
await mock.scenario({ when: { kind: 'deposits' }, latency: '1s' })
// @ts-expect-error: a fault
await mock.scenario({ fault: 'gone' })
// @ts-expect-error: a provider
await mock.provider('MTN_ZMB', { DEPOSIT: 'CLOSED' })
// @ts-expect-error: an operation type
await mock.provider('MTN_MOMO_ZMB', { DEPOSITS: 'CLOSED' })
// @ts-expect-error: an availability
await mock.provider('MTN_MOMO_ZMB', { DEPOSIT: 'DOWN' })
// @ts-expect-error: a provider of an account
await mock.configure({ providers: ['MTN_ZMB'] })
// @ts-expect-error: an operation of an account
await mock.configure({ operations: ['DEPOSITS'] })
// @ts-expect-error: a provider of a filter
await mock.payments({ provider: 'MTN_ZMB' })
// @ts-expect-error: a status of a filter
await mock.payments({ status: 'SUCCESS' })
// @ts-expect-error: a state of a filter
await mock.callbacks({ state: 'SENT' })
// @ts-expect-error: an operation of the reference
await mock.requests({ operation: 'initiateDeposit' })
// @ts-expect-error: the same in an expectation
await mock.verify([{ request: { operation: 'initiateDeposit' } }])
// @ts-expect-error: a kind of an expectation
await mock.verify([{ callback: { kind: 'deposits' } }])
// @ts-expect-error: a state of an expectation
await mock.verify([{ callback: { state: 'SENT' } }])
// @ts-expect-error: a group of features
await mock.coverage({ groups: ['kind'] })
// @ts-expect-error: an answer to a prompt
await mock.answerPhone('260763456789', 'id', 'accept')
// @ts-expect-error: a part that a reset keeps
await mock.reset({ keep: ['time'] })

/** Records have the same types. */
export async function comparePayment (payment: Payment): Promise<boolean[]> {
  const status: PaymentStatus = payment.status
  const code: FailureCode | undefined = payment.history.at(-1)?.failureReason?.failureCode
  const rejection: RejectionCode = 'INVALID_AMOUNT'
  return [
    status === 'COMPLETED' && code === 'UNSPECIFIED_FAILURE' && rejection.length > 0,
    // @ts-expect-error: a status of a payment
    payment.status === 'SUCCESS',
    // @ts-expect-error: a provider of a payment
    payment.provider === 'MTN_ZMB',
    // @ts-expect-error: a failure code of its history
    code === 'INSUFFICIENT_FUNDS',
    // @ts-expect-error: an operation of a request
    (await mock.requests())[0]?.operation === 'initiateDeposit'
  ]
}
