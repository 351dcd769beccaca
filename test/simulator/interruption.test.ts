import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { AccountTurns, untilAborted } from '../../simulator/account-turns.ts'
import { build, patient } from '../support/helper.ts'
import { openSandbox } from '../support/sandboxes.ts'
import { requests } from '../support/examples.ts'

/** Calls that must not wait for a receiver that does not answer. */
const interrupters: Array<[by: string, method: string, path: string, body: object | undefined]> = [
  ['a reset', 'POST', '/__admin/reset', {}],
  ['PUT /__admin/clock', 'PUT', '/__admin/clock', { mode: 'frozen' }],
  ['a snapshot', 'POST', '/__admin/snapshots', { name: 'now' }],
  ['the restore of a snapshot', 'POST', '/__admin/snapshots/before/restore', undefined],
  ['the deletion of the account', 'DELETE', '/__admin/accounts/sandbox-interrupted', undefined]
]

for (const [by, method, path, body] of interrupters) {
  t.test(`an advance that waits for a receiver gives way to ${by}`, async (t) => {
    const receiver = await patient(t)
    const { call } = await build(t, { callbackUrl: receiver.url, clock: 'frozen' })
    const as = { authorization: 'Bearer sandbox-interrupted' }
    await call('POST', '/__admin/snapshots', { name: 'before' }, as)
    await call('POST', '/v2/deposits', requests.v2.deposit!(), as)
    const advance = call('POST', '/__admin/clock/advance', { by: '1h' }, as)
    const callback = await receiver.next()
    const { status } = await call(method, path, body, as)
    t.ok(status >= 200 && status < 300, `it answers ${status}`)
    t.match(await advance, { status: 409, body: { error: { code: 'CONFLICT', message: by } } })
    callback.answer(200)
  })
}

t.test('all interruptible work before a call gives way to it', async (t) => {
  const turns = new AccountTurns()
  const wait = (): Promise<never> =>
    turns.runInterruptible(1, (signal) => untilAborted(signal, new Promise<never>(() => {})))
  const [first, second] = [wait(), wait()]
  const reset = turns.interrupt(1, 'a reset', async () => 'done')
  const snapshot = turns.interrupt(1, 'a snapshot', async () => 'done')
  for (const one of [first, second]) {
    await t.rejects(one, { message: 'interrupted by a reset' })
  }
  t.same(await Promise.all([reset, snapshot]), ['done', 'done'])
})

t.test('work that waits many times keeps nothing of it', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const kept = await new AccountTurns().runInterruptible(1, async (signal) => {
    collect()
    const before = process.memoryUsage().heapUsed
    for (let n = 0; n < 50_000; n++) await untilAborted(signal, Promise.resolve())
    collect()
    return process.memoryUsage().heapUsed - before
  })
  t.ok(kept < 5 * 1024 * 1024, `${kept} bytes are kept`)
})

t.test('an advance that waits for no receiver is not interrupted', async (t) => {
  const { call } = await openSandbox(t, { clock: 'frozen' })
  await call('POST', '/v2/deposits', requests.v2.deposit!())
  const answers = await Promise.all([
    call('POST', '/__admin/clock/advance', { by: '1h' }),
    call('PUT', '/__admin/clock', { mode: 'running' })
  ])
  t.match(answers, [{ status: 200, body: { transitions: 2 } }, { status: 200 }])
})

t.test('a call whose work fails interrupts nothing later', async (t) => {
  const turns = new AccountTurns()
  const fail = async (): Promise<void> => {
    throw new Error('the ledger cannot be reached')
  }
  await t.rejects(turns.interrupt(1, 'a reset', fail), /cannot be reached/)
  t.equal(await turns.runInterruptible(1, (signal) => untilAborted(signal, waitOneTurn())), 'done')
})

async function waitOneTurn (): Promise<string> {
  await new Promise((resolve) => setTimeout(resolve, 20))
  return 'done'
}
