import { NotPossible } from './check.ts'
import type { DriveName } from './config.ts'
import { kinds, type MomockClient } from './mock.ts'
import type { Random } from './random.ts'
import { mapValues } from '../lib/json.ts'
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
  const depositId =
    kind === 'refund' ? await completedDeposit(mock, random, values, version) : undefined
  const { amount, currency, phoneNumber, provider } = values
  const example = await mock.example({ kind, version, depositId, amount, phoneNumber, provider })
  const own: Values = {
    ...{ amount, currency, phoneNumber, provider, value: phoneNumber, correspondent: provider },
    [kinds[kind].idField]: id
  }
  const body = mapValues(example.body, (value, name) => own[name] ?? value)
  const url = mock.url + example.path
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

/** Starts a deposit and completes it; its identifier. */
async function completedDeposit (
  mock: MomockClient,
  random: Random,
  values: Values,
  version: 'v1' | 'v2'
): Promise<string> {
  const depositId = await startPayment(mock, random, values, 'deposit', version)
  await mock.move('deposit', depositId, 'COMPLETED')
  return depositId
}
