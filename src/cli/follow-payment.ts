import type { MomockClient } from '../client/client.ts'
import { isFinal } from '../domain/status.ts'
import type { MockEvent } from '../monitoring/mock-event.ts'
import { EventPrinter, scheduleOnTimer } from './event-printer.ts'
import { formatMs } from './event-lines.ts'

/** What following a payment needs. */
export interface FollowParts {
  write: (text: string) => void
  colours: boolean
  /** Sends the request. Returns false if it was refused. */
  send: () => Promise<boolean>
}

/** How a payment ended. The note says why it has no end yet. */
export interface FollowResult {
  isSuccess: boolean
  note?: string
}

/** Sends a request and prints the events of its payment, until it is final and was called back. */
export async function followPayment (
  client: MomockClient,
  { kind, id }: { kind: string; id: string },
  timeoutMs: number,
  { write, colours, send }: FollowParts
): Promise<FollowResult> {
  const printer = new EventPrinter({ write, colours, accounts: 'own', schedule: scheduleOnTimer })
  const ending = new AbortController()
  const late = AbortSignal.timeout(timeoutMs)
  const sending = Promise.withResolvers<boolean>()
  const begin = async (): Promise<boolean> => {
    const isAccepted = await send()
    const frozen = isAccepted && (await client.clock()).mode === 'frozen'
    if (!isAccepted || frozen) ending.abort()
    return isAccepted
  }
  const events = client.events({
    signal: AbortSignal.any([ending.signal, late]),
    onOpen: () => {
      begin().then(sending.resolve, (error: unknown) => {
        sending.reject(error)
        ending.abort()
      })
    }
  })
  let status: (MockEvent & { type: 'status' })['status'] | undefined
  for await (const event of events) {
    // The answer is printed before the events.
    await sending.promise
    if (event.paymentId !== id || event.kind !== kind || event.type === 'answer') continue
    printer.print(event)
    if (event.type === 'status') status = event.status
    const isOver =
      event.type === 'status' ? event.callback === undefined : event.type === 'callback'
    if (status !== undefined && isFinal(status) && isOver) ending.abort()
  }
  printer.flush()
  if (!(await sending.promise)) return { isSuccess: false }
  if (status !== undefined && isFinal(status)) return { isSuccess: status === 'COMPLETED' }
  const { mode, now } = await client.clock()
  if (mode === 'frozen') {
    const note = `The clock of this account is frozen at ${now}: momock advance 1m moves it.`
    return { isSuccess: true, note }
  }
  const current = (await client.payments({ search: id, limit: 1 }))[0]?.status ?? 'unknown'
  return { isSuccess: false, note: `It is still ${current} after ${formatMs(timeoutMs)}.` }
}
