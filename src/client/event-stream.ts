import type { EndSignal, EventListener, EventOptions, MockEvent } from './types.ts'

/** How a stream is followed. */
export interface StreamOptions {
  signal?: EndSignal
  /** Number of the last message that came; the stream begins after it. */
  after?: number
  onOpen?: () => void
}

/** Yields the messages of a stream while they come. */
export async function * followStream<Message> (
  open: (signal: AbortSignal) => Promise<Response>,
  { signal, onOpen = () => {} }: StreamOptions
): AsyncGenerator<Message> {
  const end = new AbortController()
  signal?.addEventListener('abort', () => end.abort())
  if (signal?.aborted === true) return
  try {
    const { body } = await open(end.signal)
    if (body === null) return
    onOpen()
    for await (const message of readMessages(body)) {
      const { event, data } = message
      if (event !== 'missed' && data !== '') yield JSON.parse(data)
    }
  } catch (error) {
    if (!end.signal.aborted) throw error
  } finally {
    end.abort()
  }
}

/** Calls a listener for each event of a type. Returns a function that ends it. */
export async function listenToEvents<Type extends MockEvent['type']> (
  follow: (options: EventOptions) => AsyncGenerator<MockEvent>,
  type: Type,
  listener: EventListener<Type>
): Promise<() => void> {
  const end = new AbortController()
  const { promise: opened, resolve, reject } = Promise.withResolvers<void>()
  const listen = async (): Promise<void> => {
    for await (const event of follow({ signal: end.signal, onOpen: resolve })) {
      // A listener that throws must not end the stream in silence.
      if (isOfType(event, type)) queueMicrotask(() => listener(event))
    }
  }
  listen().then(resolve, reject)
  await opened
  return () => end.abort()
}

function isOfType<Type extends MockEvent['type']> (
  event: MockEvent,
  type: Type
): event is Extract<MockEvent, { type: Type }> {
  return event.type === type
}

/** Reads the messages of a stream of server-sent events, until it ends or is cut off. */
async function * readMessages (
  body: ReadableStream<Uint8Array>
): AsyncGenerator<{ event: string; data: string }> {
  const decoder = new TextDecoder()
  let text = ''
  const reader = body.getReader()
  // A mock that is killed does not end its stream.
  const read = () => reader.read().catch(() => ({ done: true, value: undefined }))
  for (let { done, value } = await read(); !done; { done, value } = await read()) {
    text += decoder.decode(value, { stream: true })
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
