import type { Test } from 'tap'
import type { Config } from '../../src/config/config.ts'
import { requests } from './examples.ts'
import { build, receiver, testMachine, type Mock, type TestMachine } from './helper.ts'

/**
 * Shared parts of the tests of customer pages: a shop, its deposits, the phone, and a browser
 * without scripts.
 */

export const good = '260763456789'
export const phonePath = `/__admin/phone/${good}`
export const wave = '221773456789'

export const waveDeposit = (depositId: string, phoneNumber = wave) => ({
  depositId,
  amount: '500',
  currency: 'XOF',
  payer: { type: 'MMO', accountDetails: { phoneNumber, provider: 'WAVE_SEN' } }
})

export interface Shop {
  mock: Mock
  systemClock: TestMachine
  merchant: Awaited<ReturnType<typeof receiver>>
}

/** A server whose time the test moves, and a merchant who listens. */
export async function shop (t: Test, options: Partial<Config> = {}): Promise<Shop> {
  const systemClock = testMachine()
  const merchant = await receiver(t)
  return {
    systemClock,
    merchant,
    mock: await build(t, { callbackUrl: merchant.url, ...options }, systemClock)
  }
}

export async function pass ({ mock, systemClock }: Shop, ms: number): Promise<void> {
  systemClock.time += ms
  await mock.app.settle()
}

export const named = { 'x-momock-scenario': 'phone' }
export const deposit = async (
  { mock }: Shop,
  headers: Record<string, string> = named
): Promise<string> => {
  const body = requests.v2.deposit!()
  await mock.call('POST', '/v2/deposits', body, headers)
  return body.depositId
}
export const statusOf = async ({ mock }: Shop, depositId: string): Promise<any> =>
  (await mock.call('GET', `/v2/deposits/${depositId}`)).body.data
export const answer = ({ mock }: Shop, depositId: string, decision: string, phone = good) =>
  mock.call('POST', `/__admin/phone/${phone}/deposits/${depositId}`, { decision })
export const form = (
  mock: Mock,
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {}
) =>
  mock.app.http.inject({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'text/html',
      ...headers
    },
    payload: new URLSearchParams(fields).toString()
  })
export const html = (mock: Mock, url: string, headers: Record<string, string> = {}) =>
  mock.app.http.inject({ url, headers: { accept: 'text/html', ...headers } })
