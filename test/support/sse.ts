import type { Test } from 'tap'
import { waitFor, Queue } from './waits.ts'

/** Message of a stream of server-sent events. */
export interface Message {
  id?: string
  event: string
  data: any
}

/** Stream that a test follows. */
export interface FollowedStream {
  /** Waits for a number of messages that are wanted. Others are left out. */
  collect: (isWanted: (message: Message) => boolean, count: number) => Promise<Message[]>
  close: () => void
  /** Resolves when the stream has ended. */
  ended: Promise<void>
}

/** Follows `/events` below a URL, or `/__admin/events` of a server, from an id on. */
export async function followEvents (
  t: Test,
  url: string,
  lastEventId?: string
): Promise<FollowedStream> {
  const end = new AbortController()
  t.teardown(() => end.abort())
  const path = url.includes('/__admin') ? '/events' : '/__admin/events'
  const response = await fetch(url + path, {
    signal: end.signal,
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId })
    }
  })
  const messages = new Queue<Message>()
  const ended = readMessages(response, (message) => messages.add(message)).catch(() => {})
  return {
    ended,
    close: () => end.abort(),
    collect: async (isWanted, count) => {
      const found: Message[] = []
      while (found.length < count) {
        const message = await waitFor('an event', messages.take(), () => JSON.stringify(found))
        if (isWanted(message)) found.push(message)
      }
      return found
    }
  }
}

async function readMessages ({ body }: Response, take: (message: Message) => void): Promise<void> {
  let text = ''
  for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => line.split(/: ([^]*)/, 2) as [string, string])
      )
      const { id, event, data } = fields
      if (data !== undefined) take({ id, event, data: JSON.parse(data) })
    }
  }
}
