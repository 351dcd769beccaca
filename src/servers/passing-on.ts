import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler
} from 'fastify'
import { Agent } from 'undici'
import { isEncrypted, noteEncrypted } from '../../routes/http/host-name.ts'
import type { Accounts } from '../accounts/registry.ts'
import { LedgerUnusableError } from '../ports/ledger-error.ts'
import { Refused } from '../domain/refusal.ts'
import { readBearer } from '../lib/secrets.ts'
import type { OtherServer, ServerList } from '../ports/server-list.ts'
import { forward, type Body, type ForwardParts } from './forward.ts'
import { isLink, locateAccount, type LocateParts } from './locate.ts'
import type { Ownership } from './ownership.ts'
import { encryptedHeader, proofHeader, serverHeader, tokenHeader } from './server-messages.ts'
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
export interface PassingOnParts extends LocateParts, ForwardParts {
  accounts: Accounts
  servers: ServerList
  ownership: Ownership
}

/** Creates the connections to other servers. They set no limit for the time of an answer. */
export function createAgent (): Agent {
  return new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectMs },
    pipelining: 1
  })
}

/** Prepares an instance of Fastify for requests that other servers pass on. */
export function preparePassingOn (http: FastifyInstance): void {
  // Fastify closes the connection of a body that is too large. Then the answer can be lost.
  http.addHook('onError', (_request, reply, _error, done) => {
    if (reply.raw.hasHeader(proofHeader)) reply.removeHeader('connection')
    done()
  })
}

/** Creates the hook that passes requests on to the servers that have their accounts. */
export function createPassingOn (parts: PassingOnParts): onRequestHookHandler {
  const { accounts, servers } = parts
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
      if (isKnownHere(parts, request)) {
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

/** Tells without a wait that the account of a request is here; false if that is not sure. */
function isKnownHere (
  { accounts, ownership }: PassingOnParts,
  { url, headers }: FastifyRequest
): boolean {
  const account = isLink(url)
    ? undefined
    : accounts.findKnownToken(readBearer(headers.authorization))
  return account !== undefined && ownership.isHere(account)
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
  if (typeof token !== 'string' || !messages.isFromServer(token)) {
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
  if (isKnownHere(parts, request)) return
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
function readBody ({ method, headers, raw }: FastifyRequest): Body | Promise<Body> {
  if (method === 'GET' || method === 'HEAD') return undefined
  const length = headers['content-length']
  if (length === undefined && headers['transfer-encoding'] === undefined) return undefined
  if (length === undefined || !(Number(length) <= longestKept)) return 'stream'
  // Most bodies have arrived with the headers. A copy, because Node uses the memory again.
  const first = raw.read() as Buffer | null
  if (first !== null && first.length === Number(length)) return Buffer.from(first)
  return readRest(raw, first)
}

async function readRest (stream: Readable, first: Buffer | null): Promise<Buffer> {
  const chunks = first === null ? [] : [Buffer.from(first)]
  for await (const chunk of stream) chunks.push(chunk)
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
