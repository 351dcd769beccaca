import { workerData, type MessagePort } from 'node:worker_threads'
import {
  places,
  type NumberedRequest,
  type Outcome,
  type Query,
  type Reply,
  type Request
} from './messages.ts'
import { ResultPacker } from './packing.ts'
import { Session } from './session.ts'
import { describeError } from './session-errors.ts'

/**
 * Thread that owns the connection to PostgreSQL. The server sends it statements and waits for the
 * reply, as it waits for the disk with SQLite.
 */

/** Data that the server gives to the thread. */
export interface WorkerData {
  url: string
  port: MessagePort
  /** Memory that the thread changes: see `places`. */
  state: SharedArrayBuffer
}

const { url, port, state: buffer }: WorkerData = workerData
const state = new Int32Array(buffer)
const session = new Session(url, { onChange: setReady })
const packer = new ResultPacker()
/** Texts of statements by their names. */
const texts = new Map<string, string>()

port.on('message', async ({ number, request }: NumberedRequest) => {
  const outcome = await handle(request).catch((error) => ({ error: describeError(error) }))
  if (number === undefined) return
  const reply: Reply = {
    number,
    outcome: 'error' in outcome ? outcome : { packed: packer.pack(outcome.results) }
  }
  port.postMessage(reply)
  Atomics.add(state, places.replies, 1)
  Atomics.notify(state, places.replies)
  if (request.kind === 'close') port.close()
})

async function handle (request: Request): Promise<Outcome> {
  if (request.kind === 'run') {
    return await session.run(request.queries.map(completeQuery), request.continues)
  }
  if (request.kind === 'lock') await session.lock(request.table)
  else if (request.kind === 'drop') {
    session.drop(request.other)
    setReady(session.isConnected)
  } else if (request.kind === 'pair') {
    session.pair(request.session)
    Atomics.store(state, places.pair, request.session.number)
  } else await session[request.kind]()
  return { results: [] }
}

function setReady (isReady: boolean): void {
  Atomics.store(state, places.ready, isReady ? 1 : 0)
}

/** Adds the text of a statement that the server has sent before. */
function completeQuery (query: Query): Query {
  const { name, text } = query
  if (text === '') return { ...query, text: texts.get(name) ?? '' }
  if (name !== '') texts.set(name, text)
  return query
}
