import type { IncomingHttpHeaders } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Agent, Dispatcher } from 'undici'
import { isEncrypted } from '../../routes/http/host-name.ts'
import type { OtherServer } from '../ports/server-list.ts'
import { encryptedHeader, proofHeader, tokenHeader } from './server-messages.ts'
import type { ServerMessages } from './server-messages.ts'
import type { Watch } from './watch.ts'

/** What became of a request that was sent to another server. */
export type Outcome = 'sent' | 'moved' | 'unreachable' | 'cut' | 'ended'

/** Body of a request, or the request itself if the body is too long to be kept. */
export type Body = Buffer | 'stream' | undefined

/** Parts that sending a request needs. */
export interface ForwardParts {
  agent: Agent
  messages: ServerMessages
  watch: Watch
}

/** Headers that are about a connection, besides those that `Connection` names. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'expect']

/** Sends a request to a server as it is, and its answer to the client as it comes. */
export async function forward (
  parts: ForwardParts,
  request: FastifyRequest,
  reply: FastifyReply,
  server: OtherServer,
  body: Body
): Promise<Outcome> {
  const { method, raw } = request
  const path = raw.url ?? ''
  const token = parts.messages.sign(server.number)
  const isProved = (proof: unknown): boolean =>
    parts.messages.isProved(server.number, token, proof)
  const answer = new PassedAnswer(reply, isProved)
  const stopWatching = parts.watch.onEnd(server.number, () => answer.giveUp('ended'))
  const options = {
    origin: server.url ?? '',
    path,
    method: method as Dispatcher.HttpMethod,
    headers: writeHeaders(request, token),
    body: body === 'stream' ? copyStream(raw) : body
  }
  parts.agent.dispatch(options, answer)
  try {
    return await answer.outcome
  } finally {
    stopWatching()
  }
}

/** Answer of another server to a request, on its way to the client. */
class PassedAnswer implements Dispatcher.DispatchHandler {
  readonly #reply: FastifyReply
  readonly #isProved: (proof: unknown) => boolean
  readonly #outcome = Promise.withResolvers<Outcome>()
  #state: 'waiting' | 'answering' | 'over' = 'waiting'
  #hasData = false
  #controller: Dispatcher.DispatchController | undefined
  readonly #leave = (): void => {
    if (this.#state === 'waiting') this.#reply.hijack()
    this.#end('sent')
    this.#controller?.abort(nobodyWaits())
  }

  constructor (reply: FastifyReply, isProved: (proof: unknown) => boolean) {
    this.#reply = reply
    this.#isProved = isProved
    reply.raw.on('close', this.#leave)
  }

  get outcome (): Promise<Outcome> {
    return this.#outcome.promise
  }

  /** Ends the call, unless its answer has begun. A late one is not believed. */
  giveUp (outcome: Outcome): void {
    if (this.#state !== 'waiting') return
    this.#end(outcome)
    this.#controller?.abort(nobodyWaits())
  }

  #end (outcome: Outcome): void {
    this.#state = 'over'
    this.#reply.raw.off('close', this.#leave)
    this.#outcome.resolve(outcome)
  }

  onRequestStart (controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#state === 'over') controller.abort(nobodyWaits())
  }

  onResponseStart (
    _controller: Dispatcher.DispatchController,
    status: number,
    { [proofHeader]: proof, ...headers }: IncomingHttpHeaders
  ): void {
    if (status < 200 || this.#state === 'over') return
    // Without a proof, somebody else has the port of a server that is gone.
    if (!this.#isProved(proof)) this.giveUp('unreachable')
    else if (status === 421) this.#end('moved')
    else this.#begin(status, headers)
  }

  #begin (status: number, headers: IncomingHttpHeaders): void {
    const { raw } = this.#reply
    const { socket } = raw.req
    this.#state = 'answering'
    // No hook of this server looks at it: it was counted and recorded where it was made.
    this.#reply.hijack()
    for (const name of ofConnection) delete headers[name]
    raw.writeHead(status, headers)
    // With the data, if that has come, too.
    process.nextTick(() => this.#hasData || raw.flushHeaders())
    // A client that ends its side of the connection does not want a stream of events any more.
    if (/event-stream/.test(String(headers['content-type']))) {
      if (socket.readableEnded) raw.end()
      else socket.once('end', () => raw.end())
    }
    this.#outcome.resolve('sent')
  }

  onResponseData (controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { raw } = this.#reply
    // The client has ended a stream of events, and more of them are on their way.
    if (this.#state !== 'answering' || raw.writableEnded) return
    this.#hasData = true
    if (raw.write(chunk)) return
    controller.pause()
    raw.once('drain', () => controller.resume())
  }

  onResponseEnd (): void {
    if (this.#state !== 'answering') return
    this.#hasData = true
    this.#end('sent')
    this.#reply.raw.end()
  }

  onResponseError (_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#state === 'answering') cutAnswer(this.#reply.raw)
    else this.#end(isRefused(error) ? 'unreachable' : 'cut')
  }
}

function nobodyWaits (): Error {
  return new Error('nobody waits for the answer')
}

/** Writes the headers of a request. What the client has signed must not change. */
function writeHeaders (request: FastifyRequest, token: string): IncomingHttpHeaders {
  const { headers } = request
  const sent: IncomingHttpHeaders = { ...headers, [tokenHeader]: token }
  for (const name of headers.connection?.toLowerCase().split(/[\s,]+/) ?? []) delete sent[name]
  for (const name of ofConnection) delete sent[name]
  if (isEncrypted(request)) sent[encryptedHeader] = '1'
  return sent
}

/** Copies a body: if the other server does not want the rest, it is read all the same. */
function copyStream (body: Readable): Readable {
  const copy = body.pipe(new PassThrough())
  copy.on('error', () => {})
  copy.on('close', () => body.unpipe(copy).resume())
  return copy
}

/** Cuts an answer off that its server has cut off. With HTTP/2, other requests are cut, too. */
function cutAnswer ({ req: { socket, httpVersionMajor } }: FastifyReply['raw']): void {
  if (httpVersionMajor > 1) socket.destroy()
  else socket.destroySoon()
}

/** Tells whether a server has taken nothing of a request. */
function isRefused (error: Error): boolean {
  const { code = '' } = (error.cause ?? error) as { code?: string }
  return /^(ECONNREFUSED|EHOST|ENET|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT)/.test(code)
}
