import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMomock } from '../../src/index.ts'
import { openReceiver } from './receiver.ts'

/** Prints the files that one deposit visits, and those of its life with its callback. */

/** Time without a call after which a payment has come to its end. */
const quietMs = 300

async function deposit (url: string): Promise<void> {
  const answer = await fetch(`${url}/v2/deposits`, {
    method: 'POST',
    headers: { authorization: 'Bearer test-token', 'content-type': 'application/json' },
    body: JSON.stringify({
      depositId: randomUUID(),
      amount: '15',
      currency: 'ZMW',
      payer: {
        type: 'MMO',
        accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
      }
    })
  })
  if (!answer.ok || !(await answer.text()).includes('ACCEPTED')) throw new Error('not accepted')
}

/** Waits until nothing is called any more. */
async function settle (): Promise<void> {
  for (let before = -1; before < globalThis.path.length;) {
    before = globalThis.path.length
    await sleep(quietMs)
  }
}

/** Files that some work visits when it is done for the second time, which loads nothing. */
async function trace (work: () => Promise<void>): Promise<string[]> {
  await work()
  await settle()
  globalThis.path = []
  await work()
  return globalThis.path.slice()
}

await using frozen = await createMomock({ clock: 'frozen' })
const post = await trace(() => deposit(frozen.url))

const receiver = await openReceiver()
await using running = await createMomock({ callbackUrl: receiver.url })
const life = await trace(async () => {
  const already = receiver.arrivals.length
  await deposit(running.url)
  while (receiver.arrivals.length === already) await settle()
  await settle()
})
await receiver.close()
process.stdout.write(JSON.stringify({ post, life }))
