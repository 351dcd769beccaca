import { readFileSync } from 'node:fs'
import type { Behaviour } from '../../support/receiver.ts'
import { isAccepted, type Setting } from './setting.ts'

/** Receivers of callbacks that behave badly for a while. */

const token = 'sandbox-neighbour'
/** A body that never ends must not be kept: so much more memory is not. */
const mostMoreBytes = 150 * 1024 * 1024

/** Others are not kept waiting, and the callbacks arrive once the receiver behaves. */
export async function misbehave (setting: Setting, behaviour: Behaviour): Promise<undefined> {
  const { receiver, problems } = setting
  const server = await setting.start()
  await server.as(token).configure({ callbacks: { deposits: `${receiver.url}/neighbour` } })
  receiver.behave(({ url }) => (url === '/neighbour' ? 'accept' : behaviour))
  const memory = memoryOf(server.pid)
  const accepted = (await setting.initiateMany(30)).filter(isAccepted)
  await setting.expect('callbacks are tried', () => receiver.arrivals.length >= 10)
  const neighbour = await setting.initiate('deposit', token)
  await setting.expect(
    'a neighbour is called back meanwhile',
    () => {
      return receiver.arrivals.some(({ url, text }) => {
        return url === '/neighbour' && text.includes(neighbour.id)
      })
    },
    5000
  )
  await setting.expect('every attempt has ended in a failure', async () => {
    const callbacks = await server.as('test-token').callbacks()
    return callbacks.length >= 30 && callbacks.every(({ attempts }) => attempts.length > 0)
  })
  const more = memoryOf(server.pid) - memory
  if (more > mostMoreBytes) problems.push(`it took ${Math.round(more / 2 ** 20)} MiB more memory`)
  receiver.behave(() => 'accept')
  await setting.expectTold(accepted, { ms: 30_000, when: 'meanwhile' })
  await setting.expectInvariants()
  return undefined
}

/** While an advance waits for a receiver that hangs, the account can still be reset. */
export async function resetDuringAdvance (setting: Setting): Promise<undefined> {
  const server = await setting.start({ args: ['--clock', 'frozen', '--callback-timeout', '60s'] })
  setting.receiver.behave(() => 'hang')
  await setting.initiate()
  const client = server.as('test-token')
  const advance = client.advance('1m').then(
    () => 'done',
    () => 'interrupted'
  )
  await setting.expect('a callback is on its way', () => setting.receiver.arrivals.length > 0)
  let isReset = false
  const reset = client.reset().then(
    () => {
      isReset = true
    },
    () => {}
  )
  await setting.expect('a reset interrupts the advance', () => isReset, 5000)
  // Whatever came of them must not disturb the end.
  setting.receiver.behave(() => 'accept')
  await server.stop('SIGKILL')
  await Promise.allSettled([advance, reset])
  return undefined
}

/** The resident memory of a process, in bytes. */
export function memoryOf (pid: number): number {
  try {
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return Number(pages) * 4096
  } catch {
    return 0
  }
}
