import { workerData, type MessagePort } from 'node:worker_threads'
import { countOf, type NumberedRequest, type Outcome, type Query } from './messages.ts'
import type { Reply, Request } from './messages.ts'
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
  /** Number of replies, for which the server waits, and number of lost connections. */
  counts: SharedArrayBuffer
}

const { url, port, ...shared }: WorkerData = workerData
const counts = new Int32Array(shared.counts)
const session = new Session(url, () => Atomics.add(counts, countOf.losses, 1))
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
  Atomics.add(counts, countOf.replies, 1)
  Atomics.notify(counts, countOf.replies)
  if (request.kind === 'close') port.close()
})

async function handle (request: Request): Promise<Outcome> {
  if (request.kind === 'run') {
    return await session.run(request.queries.map(completeQuery), request.continues)
  }
  if (request.kind === 'lock') await session.lock(request.table)
  else await session[request.kind]()
  return { results: [] }
}

/** Adds the text of a statement that the server has sent before. */
function completeQuery (query: Query): Query {
  const { name, text } = query
  if (text === '') return { ...query, text: texts.get(name) ?? '' }
  if (name !== '') texts.set(name, text)
  return query
}
