import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import replyFrom from '@fastify/reply-from'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler
} from 'fastify'
import { Agent, type Dispatcher } from 'undici'
import { LedgerUnusableError } from '../ports/ledger-error.ts'
import { Refused } from '../domain/refusal.ts'
import { isEncrypted, noteEncrypted } from '../../routes/http/host-name.ts'
import type { Accounts } from '../accounts/registry.ts'
import { locateAccount, readBearer, type LocateParts } from './locate.ts'
import type { Ownership } from './ownership.ts'
import type { OtherServer, ServerList } from '../ports/server-list.ts'
import { proofHeader, serverHeader, tokenHeader, type ServerMessages } from './server-messages.ts'
import type { Watch } from './watch.ts'

/** Tries to pass a request on. */
const mostTries = 4
/** Wait before a server is tried again that takes no connection. */
const tryAgainMs = 100
/** Time for a connection to another server. */
const connectMs = 2000
/** Longest body that is kept for another try. */
const longestKept = 1024 * 1024

/** Parts that passing on needs. */
export interface PassingOnParts extends LocateParts {
  accounts: Accounts
  servers: ServerList
  ownership: Ownership
  messages: ServerMessages
  watch: Watch
}

/** What became of a request that was passed on. */
type Outcome = 'sent' | 'moved' | 'unreachable' | 'cut' | 'ended'

/** Answer of a server. */
interface Answer {
  statusCode: number
  headers: IncomingHttpHeaders
  stream: Readable
}

/** Body of a request, or the request itself if the body is too long to be kept. */
type Body = Buffer | 'stream' | undefined

/** Header of a request that came through the TLS listener of the first server. */
const encryptedHeader = 'x-momock-server-encrypted'
/** Header with the path of a request as it was sent: an address is read, and written anew. */
const pathHeader = 'x-momock-path'

/** What ends the tries that are under way, by their tokens. */
const tries = new Map<string, AbortSignal>()

/** Adds the calls that pass requests on. */
export function preparePassingOn (http: FastifyInstance): void {
  // The time of an answer is the matter of the server that gives it.
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs },
    pipelining: 1
  })
  const sendExactly = (
    { headers: given, ...options }: Dispatcher.RequestOptions,
    done: (error: Error | null, answer: Dispatcher.ResponseData) => void
  ): void => {
    // Each server continues a request by itself.
    const { [pathHeader]: path, expect: _, ...headers } = given as Record<string, string>
    agent.request({ ...options, path, headers, signal: tries.get(headers[tokenHeader]) }, done)
  }
  const undici = { request: sendExactly, destroy: () => agent.destroy() }
  http.register(replyFrom, {
    disableRequestLogging: true,
    destroyAgent: true,
    undici: undici as unknown as Agent
  })
}

/** Creates the hook that passes requests on to the servers that have their accounts. */
export function createPassingOn (parts: PassingOnParts): onRequestHookHandler {
  const { accounts, servers, ownership } = parts
  return (request, reply, done) => {
    const { method, headers } = request
    const token = headers[tokenHeader]
    if (token === undefined) {
      const { ignoresAccounts } = request.routeOptions.config ?? {}
      if (ignoresAccounts === true || method === 'OPTIONS') {
        // Another server may have made its token.
        if (knowsToken(accounts, headers.authorization)) return done()
        accounts.refresh().then(() => done(), done)
        return
      }
      const account = isLink(request.url)
        ? undefined
        : accounts.findKnownToken(readBearer(headers.authorization))
      if (account !== undefined && ownership.isHere(account)) {
        reply.raw.setHeader(serverHeader, servers.number)
        return done()
      }
    }
    return token === undefined ? passOn(parts, request, reply) : take(parts, request, reply, token)
  }
}

function knowsToken (accounts: Accounts, authorization: string | undefined): boolean {
  const token = readBearer(authorization)
  return token === undefined || accounts.findKnownToken(token) !== undefined
}

/** Tells whether an address may name its account. */
function isLink (url: string): boolean {
  return !/^\/(v2\/(?!statements)|deposits|payouts|refunds)/.test(url)
}

/** Takes a request that another server has passed on, if its account is here. */
async function take (
  parts: PassingOnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string | string[]
): Promise<unknown> {
  const { messages, servers } = parts
  const { raw, method } = request
  const path = raw.url ?? ''
  if (typeof token !== 'string' || !messages.isFromServer(token, { method, path })) {
    throw new Refused(
      'NOT_AUTHORISED',
      `the header ${tokenHeader} is for servers that share a ledger; leave it out`
    )
  }
  if (request.headers[encryptedHeader] !== undefined) noteEncrypted(request)
  // The journal must not have them.
  for (const name of [tokenHeader, encryptedHeader]) removeHeader(request, name)
  // An answer that is not sent by Fastify has them, too.
  reply.raw.setHeader(proofHeader, messages.prove(token)).setHeader(serverHeader, servers.number)
  // Another server asks whether this one answers.
  if (method === 'HEAD' && path === '/') return await reply.code(204).send()
  if ((await findPlace(parts, request, true)).place === 'here') return
  return await reply.code(421).send()
}

function removeHeader ({ headers, raw: { rawHeaders } }: FastifyRequest, wanted: string): void {
  delete headers[wanted]
  const place = rawHeaders.findIndex((name, n) => n % 2 === 0 && name.toLowerCase() === wanted)
  if (place >= 0) rawHeaders.splice(place, 2)
}

/** Finds the account of a request, and the server that has it. */
async function findPlace (
  parts: PassingOnParts,
  request: FastifyRequest,
  isFresh: boolean
): Promise<{ account: number; place: 'here' | OtherServer | undefined }> {
  const { accounts, ownership } = parts
  const account = await locateAccount(parts, request, isFresh)
  const place = await ownership.find(account, isFresh)
  if (place !== undefined) return { account, place }
  // It was deleted. A link that still leads to it leads to none.
  const next = await locateAccount(parts, request, true)
  const other = next === account ? accounts.default.id : next
  return { account: other, place: await ownership.find(other, true) }
}

/** Sends a request to the server of its account, unless the account is here or comes here. */
async function passOn (
  parts: PassingOnParts,
  request: FastifyRequest,
  reply: FastifyReply
): Promise<unknown> {
  const { ownership, servers, watch } = parts
  let body: Body
  let isRead = false
  for (let tries = 0; tries < mostTries; tries++) {
    const { account, place } = await findPlace(parts, request, tries > 0)
    if (place === undefined) continue
    if (place === 'here' && !isRead) {
      reply.raw.setHeader(serverHeader, servers.number)
      return
    }
    if (!isRead) body = await readBody(request)
    isRead = true
    // A request whose body was read comes here like any other that is passed on.
    const server = place === 'here' ? ownAddress(servers) : place
    const outcome = await forward(parts, request, reply, server, body)
    if (outcome === 'sent') return reply
    ownership.forgetPlace(account)
    if (outcome === 'cut' && !(await isRepeatable(parts, account, server, request))) {
      return cutOff(request, reply)
    }
    if (body === 'stream') break
    if (outcome === 'ended' && request.method !== 'GET') break
    if (outcome === 'unreachable') await sleep(tryAgainMs)
    if (outcome === 'unreachable' && tries === mostTries - 2) {
      await endIfSilent(parts, account, server, watch)
    }
  }
  throw new LedgerUnusableError('the server of the account does not answer', undefined, {
    isTemporary: true
  })
}

/** Ends a server that takes no connections, if it still has the account. */
async function endIfSilent (
  { ownership }: PassingOnParts,
  account: number,
  server: OtherServer,
  watch: Watch
): Promise<void> {
  const place = await ownership.find(account, true)
  if (typeof place !== 'object' || place.number !== server.number) return
  await watch.end(server, 'it takes no connections')
}

/**
 * Tells whether a request whose connection was lost can be sent again: nothing has become of it,
 * because its server stops; or it changes nothing, and its server has died. Otherwise the server
 * has cut it off itself, as a scenario wants it, and so it is for the client.
 */
async function isRepeatable (
  { ownership, servers }: PassingOnParts,
  account: number,
  server: OtherServer,
  { method }: FastifyRequest
): Promise<boolean> {
  if (await servers.hasLeft(server.number)) return true
  if (!/^(GET|HEAD)$/.test(method)) return false
  const place = await ownership.find(account, true)
  return typeof place !== 'object' || place.number !== server.number
}

/** Reads a body that is short enough to be kept. */
async function readBody ({ method, headers, raw }: FastifyRequest): Promise<Body> {
  if (/^(GET|HEAD)$/.test(method)) return undefined
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) return undefined
  if (length === undefined || !(Number(length) <= longestKept)) return 'stream'
  const chunks: Buffer[] = []
  for await (const chunk of raw) chunks.push(chunk)
  return Buffer.concat(chunks)
}

function ownAddress ({ number, url }: ServerList): OtherServer {
  return { number, url, isLeaving: false }
}

/** Ends a connection without an answer, as the server of the account has done. */
function cutOff (request: FastifyRequest, reply: FastifyReply): void {
  const { socket } = request.raw
  reply.hijack()
  if (isEncrypted(request)) socket.destroy()
  else socket.resetAndDestroy()
}

/** Sends a request to a server, and its answer to the client. */
function forward (
  { messages, watch }: PassingOnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  server: OtherServer,
  body: Body
): Promise<Outcome> {
  const { method, raw, headers: sent } = request
  const path = raw.url ?? ''
  const token = messages.sign(server.number, { method, path })
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const end = new AbortController()
  tries.set(token, end.signal)
  /** Ends the try before its answer has come. A late one is not believed. */
  const giveUp = (outcome: Outcome): void => {
    resolve(outcome)
    end.abort()
  }
  const stopWaiting = watch.onEnd(server.number, () => giveUp('ended'))
  // Nobody waits for the answer any more.
  const leave = (): void => {
    if (!reply.sent) reply.hijack()
    giveUp('sent')
  }
  reply.raw.on('close', leave)
  if (body === 'stream') request.body = copyStream(raw)
  reply.from(`${server.url ?? ''}/`, {
    ...(Buffer.isBuffer(body) && {
      body,
      contentType: sent['content-type'] ?? 'application/octet-stream'
    }),
    // What the client has signed must not change.
    rewriteRequestHeaders: (_request, headers) => {
      const { 'content-type': _type, 'content-length': _length, ...rest } = headers
      return {
        ...rest,
        ...pick(sent, ['host', 'content-type', 'content-length']),
        ...(isEncrypted(request) && { [encryptedHeader]: '1' }),
        [pathHeader]: path,
        [tokenHeader]: token
      }
    },
    rewriteHeaders: withoutConnection,
    // An answer with 503 is an answer.
    retryDelay: () => null,
    onResponse: (_request, _reply, answer) => {
      const { statusCode, headers, stream } = answer as unknown as Answer
      if (reply.raw.closed || end.signal.aborted) return stream.destroy()
      reply.raw.off('close', leave)
      stopWaiting()
      const isProved = messages.isProved(server.number, token, headers[proofHeader])
      if (isProved && statusCode !== 421) {
        sendAnswer(reply, statusCode, stream)
        return resolve('sent')
      }
      for (const name of Object.keys(headers)) reply.removeHeader(name)
      reply.code(200)
      stream.resume()
      // Without a proof, somebody else has the port of a server that is gone.
      resolve(isProved ? 'moved' : 'unreachable')
    },
    onError: (_reply, { error }) => resolve(isRefused(error) ? 'unreachable' : 'cut')
  })
  return promise.finally(() => {
    tries.delete(token)
    reply.raw.off('close', leave)
    stopWaiting()
  })
}

/** Copies a body: if the other server does not want the rest, it is read all the same. */
function copyStream (body: Readable): Readable {
  const copy = body.pipe(new PassThrough())
  copy.on('error', () => {})
  copy.on('close', () => body.unpipe(copy).resume())
  return copy
}

/** Sends an answer as it comes. One that is cut off is cut off for the client, too. */
function sendAnswer (reply: FastifyReply, status: number, stream: Readable): void {
  const { raw, request } = reply
  // The rest of a body that nobody wants is read, so that the client reads the answer.
  const { connection: _, ...headers } = reply.getHeaders()
  // No hook of this server looks at it: it was counted and recorded where it was made.
  reply.hijack()
  raw.writeHead(status, headers as OutgoingHttpHeaders).flushHeaders()
  const { socket } = request.raw
  const end = (): void => {
    stream.destroy()
    raw.end()
  }
  raw.on('close', end)
  // A client that ends its side of the connection does not want a stream of events any more.
  const isFeed = /event-stream/.test(String(headers['content-type']))
  if (isFeed) socket.on('end', end)
  // With HTTP/2, the connection has other requests, too.
  const isShared = raw.req.httpVersionMajor > 1
  stream.on('error', () => (isShared ? socket.destroy() : socket.destroySoon()))
  if (socket.destroyed || (isFeed && socket.readableEnded)) end()
  stream.pipe(raw)
}

/** Leaves out the headers that are about a connection, and the proof. */
function withoutConnection ({
  [proofHeader]: _proof,
  connection: _connection,
  'keep-alive': _keepAlive,
  'transfer-encoding': _encoding,
  ...headers
}: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers
}

function pick (headers: FastifyRequest['headers'], names: readonly string[]) {
  return Object.fromEntries(
    names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))
  )
}

/** Tells whether a server has taken nothing of a request. */
function isRefused (error: Error): boolean {
  const { code = '' } = (error.cause ?? error) as { code?: string }
  return /^(ECONNREFUSED|EHOST|ENET|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT)/.test(code)
}
