import type { Test } from 'tap'
import { requests } from '../support/examples.ts'
import { build, testMachine, type Mock, type TestMachine } from '../support/helper.ts'

/** A shop whose requests are looked at, on a mock in this process. */

export interface Shop extends Mock {
  systemClock: TestMachine
}

export async function shopOf (t: Test, options: object = {}): Promise<Shop> {
  const systemClock = testMachine()
  return { ...(await build(t, options, systemClock)), systemClock }
}

export async function lintOf ({ call }: Mock, query = ''): Promise<any> {
  const { status, body } = await call('GET', `/__admin/lint${query}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body
}

export const v1 = (kind: 'deposit' | 'payout' | 'refund'): Record<string, any> =>
  requests.v1[kind]!()
export const current = (kind: 'deposit' | 'payout' | 'refund' | 'checkout'): Record<string, any> =>
  requests.v2[kind as 'deposit']!()
