import { join } from 'node:path'
import type { Test } from 'tap'
import type { Config } from '../../src/config/config.ts'
import type { FixturePayment } from '../../src/domain/fixture.ts'
import { kinds } from '../../src/domain/kinds.ts'
import { isFinal, statusesOf } from '../../src/domain/status.ts'
import { but, requests } from './examples.ts'
import { build, folder, id, testMachine, type Mock } from './helper.ts'
import { multiplyPayment } from './large-ledger.ts'
import { withLedger } from './postgres.ts'

/** Ledgers that no server uses any more. */

/** Creates `from.db` with some deposits, and returns its folder. */
export async function createLedger (t: Test, deposits = 1): Promise<string> {
  const cwd = folder(t)
  const db = join(cwd, 'from.db')
  const { app, call } = await build(t, { db, clock: 'frozen' })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  await app.close()
  if (deposits > 1) multiplyPayment(db, 1, deposits)
  return cwd
}

/** Tokens of the accounts of a filled ledger: one of the configuration, and two sandboxes. */
export const tokens = ['test-token', 'sandbox-a', 'sandbox-b'] as const

/** Starts a server whose time stands still, so that two servers give the same answers. */
export async function buildFrozen (
  t: Test,
  db: string,
  options: Partial<Config> = {}
): Promise<Mock> {
  const publicUrl = 'http://mock.example'
  return await build(t, { db, clock: 'frozen', publicUrl, ...options }, testMachine())
}

/** Fills a ledger with everything that it can keep. */
export async function fillLedger (t: Test, db: string, callbackUrl: string): Promise<void> {
  const { app, call } = await buildFrozen(t, db, {
    callbackUrl,
    fixtures: [{ payments: listFixtures() }]
  })
  const as = (token: string) => ({ authorization: `Bearer ${token}` })
  for (const token of tokens) {
    const send = async (method: string, path: string, body: object): Promise<void> => {
      const { status, body: answer } = await call(method, path, body, as(token))
      if (status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    }
    await send('PATCH', '/__admin/account', {
      companyName: `é\u{1f600} \\ ' " ${token}`,
      callbacks: { deposits: callbackUrl, payouts: callbackUrl }
    })
    await send('POST', '/__admin/scenarios', {
      name: 'twice',
      when: { kind: 'deposit', metadata: { story: 'twice' } },
      reject: 'INVALID_AMOUNT',
      times: 2
    })
    await send('POST', '/v2/deposits', {
      ...requests.v2.deposit!(),
      metadata: [{ story: 'twice' }]
    })
    await send('POST', '/v2/deposits', requests.v2.deposit!())
    await send('POST', '/v2/paymentpage', {
      depositId: id(),
      returnUrl: 'https://shop.example/',
      country: 'ZMB',
      amountDetails: { amount: '15', currency: 'ZMW' }
    })
    await send('POST', '/v2/checkouts', { checkoutId: id(), returnUrl: 'https://shop.example/' })
    await send('POST', '/v2/split-payments', requests.v2.splitPayment!())
    await send('POST', '/__admin/clock/advance', { by: '10m' })
    await send('POST', '/v2/statements', {
      wallet: { country: 'ZMB', currency: 'ZMW' },
      callbackUrl,
      startDate: '2026-01-30T00:00:00Z',
      endDate: '2026-01-31T12:00:00Z'
    })
    await send('POST', '/__admin/clock/advance', { by: '10m' })
    await send('PUT', '/__admin/providers/MTN_MOMO_ZMB', { PAYOUT: 'DELAYED' })
    await send('POST', '/v2/payouts', requests.v2.payout!())
    await send('POST', '/__admin/snapshots', { name: 'middle' })
    await send('POST', '/v2/deposits', requests.v2.deposit!())
    await send('POST', '/__admin/clock/advance', { by: '100ms' })
  }
  // The numbers of its rows must not be used again, although the rows are gone.
  await call('POST', '/__admin/reset', {}, as('sandbox-b'))
  await app.close()
  await withLedger(t, db, (connection) => {
    for (const sql of rareRows) connection.exec(sql)
  })
}

/** Rows that only damage, an outage or a crash leaves, also in a snapshot. */
const rareRows = [
  "INSERT INTO set_aside SELECT account, seq, 1, 'unreadable' FROM payments ORDER BY seq LIMIT 1",
  'INSERT INTO held_callbacks SELECT account, seq FROM callbacks ORDER BY seq LIMIT 1',
  `INSERT INTO snapshot_set_aside (snapshot, account, payment, at, error)
    SELECT 1, account, payment, at, error FROM set_aside`,
  `INSERT INTO snapshot_held_callbacks (snapshot, account, callback)
    SELECT 1, account, callback FROM held_callbacks`,
  'INSERT INTO unfinished_work (work) VALUES (\'{"kind":"deleteCopy","account":1,"snapshot":999}\')'
]

/** Returns payments of every kind in every status. */
function listFixtures (): FixturePayment[] {
  return (['v1', 'v2'] as const).flatMap((generation) =>
    Object.values(kinds)
      .filter((kind) => kind.versions.includes(generation))
      .flatMap((kind) => statusesOf(kind).map((status) => ({ kind, status })))
      .flatMap(({ kind, status }) => {
        const at = isFinal(status) ? '2026-01-30T12:00:00.000Z' : '2026-01-31T11:59:00.000Z'
        const common = { kind: kind.name, generation, status, at }
        if (kind.name === 'checkout') return [{ ...common, request: createCheckout(), payer }]
        if (kind.name !== 'refund') {
          return [{ ...common, request: requests[generation][kind.name]!() }]
        }
        const deposit = requests[generation].deposit!()
        const refund = but(requests[generation].refund!(), 'depositId', deposit.depositId)
        return [
          { kind: 'deposit', generation, at: '2026-01-30T11:00:00.000Z', request: deposit },
          { ...common, request: refund }
        ]
      })
  ) as FixturePayment[]
}

const payer = { provider: 'MTN_MOMO_ZMB', phoneNumber: '260763456789', country: 'ZMB' }

function createCheckout (): Record<string, unknown> {
  return {
    checkoutId: id(),
    returnUrl: 'https://shop.example/back',
    countries: ['ZMB'],
    amounts: [{ country: 'ZMB', currency: 'ZMW', amount: '10' }]
  }
}
