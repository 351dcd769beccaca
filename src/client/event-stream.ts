import { buildQuery, type AdminConnection } from './admin-connection.ts'
import type { MockEvent } from './responses.ts'

/** Which events to follow, and until when. */
export interface EventOptions {
  /** Events of this account, or of all. */
  accounts?: 'own' | 'all'
  /** Ends the stream. */
  signal?: AbortSignal
  /** Called when the mock has begun to send events: what happens from now on is not missed. */
  onOpen?: () => void
}

/** Yields events while they happen. */
export async function * followEvents (
  connection: AdminConnection,
  { accounts, signal, onOpen = () => {} }: EventOptions
): AsyncGenerator<MockEvent> {
  try {
    const path = `/events${buildQuery({ accounts })}`
    const { body } = await connection.send('GET', path, undefined, signal)
    if (body === null) return
    onOpen()
    for await (const message of readMessages(body)) {
      const { event, data } = message
      if (event !== 'missed' && data !== '') yield JSON.parse(data)
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error
  }
}

/** Reads the messages of a stream of server-sent events. */
async function * readMessages (
  body: ReadableStream<Uint8Array>
): AsyncGenerator<{ event: string; data: string }> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => {
          const colon = line.indexOf(': ')
          return [line.slice(0, colon), line.slice(colon + 2)]
        })
      )
      yield { event: fields.event ?? '', data: fields.data ?? '' }
    }
  }
}
