import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AddressUnusableError } from '../lib/address.ts'
import { machineTime, systemClock } from '../lib/clock.ts'
import { findReachableHost, isOwnAddress } from '../lib/hosts.ts'
import { urlOf } from '../lib/url.ts'
import { checkServerToken, makeServerToken } from '../security/server-token.ts'
import type { ServerToken, TokenPurpose } from '../security/server-token.ts'

/** Answer to a call of another server. */
export interface PeerReply {
  /** Time of this server, to compare the clocks. */
  now: number
  value: unknown
}

/** What a server offers to others. */
export interface PeerOffers {
  /** Makes a call, whose input is JSON. */
  answer: (name: string, input: string) => Promise<unknown>
  /** Sends everything that happens from now on, until the returned function is called. */
  follow: (feed: string, send: (line: object) => void) => Promise<() => void>
}

/** Who a server is for the others. */
export interface PeerIdentity {
  number: number
  /** Secret that only the servers of the ledger know. */
  secret: string
}

/** Address of the listener. */
export interface PeerAddress {
  /** Address of the listener for clients. */
  host: string
  /** Host at which the other servers reach this one. */
  peerHost?: string
  /** Port of the listener; any free one if it is 0 or absent. */
  peerPort?: number
}

/** Time between two empty lines of a feed, which show that the connection works. */
export const beatMs = 3000
/**
 * Time for which the token of a call works: the clocks of machines may differ by minutes. It works
 * on one server only, whose number nobody else gets.
 */
export const tokenMs = 15 * 60_000
/** Header of an answer that proves that the server knows the secret. */
export const proofHeader = 'x-momock-server-token'
/** Bytes of a feed that another server may leave unread. */
const mostUnread = 16 * 1024 * 1024
/** Time that other servers have to read the rest of feeds and answers when the listener closes. */
const restMs = 1000

/**
 * Listener for the other servers that share the ledger. It takes `POST /call/NAME` and
 * `POST /feed/NAME`, both with JSON. A feed is answered with a line of JSON for each event.
 */
export class PeerListener {
  readonly #server: Server
  readonly #identity: PeerIdentity
  /** Answers that are not sent completely, also those of feeds. */
  readonly #answers = new Set<ServerResponse>()
  /** Functions that end the feeds. */
  readonly #feeds = new Set<() => void>()
  #offers: PeerOffers | undefined

  constructor (identity: PeerIdentity) {
    this.#identity = identity
    this.#server = createServer((request, response) => {
      this.#answers.add(response)
      response.on('close', () => this.#answers.delete(response))
      this.#handle(request, response).catch((error: unknown) => refuse(response, 500, error))
    })
  }

  /** Listens, and returns the URL for servers on other machines. */
  async listen ({ host, peerHost, peerPort }: PeerAddress): Promise<string> {
    const address = { host: choosePeerListenHost({ host, peerHost }), port: peerPort ?? 0 }
    try {
      await once(this.#server.listen(address), 'listening')
    } catch (error) {
      throw new AddressUnusableError(address, error as NodeJS.ErrnoException, '--peer-port')
    }
    // A start that fails after this must be able to end.
    this.#server.unref()
    const { port } = this.#server.address() as AddressInfo
    return urlOf(peerHost ?? findReachableHost(host), port)
  }

  /** Answers calls from now on. */
  offer (offers: PeerOffers): void {
    this.#offers = offers
  }

  /** Ends the feeds after their last lines, and answers the calls that have begun. */
  async close (): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const end of this.#feeds) end()
    const impatience = setTimeout(() => this.#server.closeAllConnections(), restMs)
    const sent = Array.from(
      this.#answers,
      (answer) => new Promise((resolve) => answer.on('close', resolve))
    )
    await Promise.all(sent)
    clearTimeout(impatience)
    this.#server.closeAllConnections()
    await closed
  }

  async #handle (request: IncomingMessage, response: ServerResponse): Promise<void> {
    const token = this.#checkToken(request)
    if (token === undefined) return refuse(response, 401, 'the token is wrong')
    if (this.#offers === undefined) return refuse(response, 503, 'the server is starting')
    const [, sort, name] = /^\/(call|feed)\/(\w+)$/.exec(request.url ?? '') ?? []
    if (sort === undefined) return refuse(response, 404, 'there is no such call')
    const input = await readText(request)
    if (!token.isFor(input)) return refuse(response, 401, 'the token is for another body')
    if (await isAbandoned(request)) return
    if (sort === 'feed') return await this.#stream(this.#offers, name, request, response)
    const reply: PeerReply = { value: await this.#offers.answer(name, input), now: machineTime() }
    const text = JSON.stringify(reply)
    const headers = { 'content-type': 'application/json', ...this.#prove(request, text) }
    response.writeHead(200, headers).end(text)
  }

  async #stream (
    { follow }: PeerOffers,
    name: string,
    request: IncomingMessage,
    response: ServerResponse
  ): Promise<void> {
    const stop = await follow(name, (line) => {
      // A server that does not read follows the feed again when it can.
      if (response.writableLength > mostUnread) response.destroy()
      else response.write(`${JSON.stringify(line)}\n`)
    })
    // The other server may have left meanwhile.
    if (response.destroyed) return stop()
    const beat = setInterval(() => response.write('\n'), beatMs)
    const end = (): void => {
      if (!this.#feeds.delete(end)) return
      clearInterval(beat)
      stop()
      response.end()
    }
    this.#feeds.add(end)
    response.on('close', end)
    const headers = { 'content-type': 'application/x-ndjson', ...this.#prove(request, '') }
    response.writeHead(200, headers).flushHeaders()
    if (!this.#server.listening) end()
  }

  #checkToken ({ headers, method = '', url = '' }: IncomingMessage): ServerToken | undefined {
    const { number, secret } = this.#identity
    const token = readBearer(headers.authorization)
    const purpose = { server: number, method, path: url }
    return checkServerToken(secret, purpose, token, { now: systemClock.now(), lifetimeMs: tokenMs })
  }

  /** Proves an answer, so that nobody else can answer in the place of this server. */
  #prove ({ headers }: IncomingMessage, body: string): Record<string, string> {
    const { number, secret } = this.#identity
    const purpose = answerTo(number, readBearer(headers.authorization))
    return { [proofHeader]: makeServerToken(secret, purpose, body, systemClock.now()) }
  }
}

function readBearer (authorization = ''): string {
  return authorization.replace(/^Bearer /, '')
}

/** Purpose of the token of an answer to a call with this token. */
export function answerTo (server: number, token: string): TokenPurpose {
  return { server, method: 'ANSWER', path: token }
}

/**
 * Tells whether the caller has given up: it goes on without an answer, so the call must not be
 * made. The end of its connection is read in the turn of the event loop after the call.
 */
async function isAbandoned ({ socket }: IncomingMessage): Promise<boolean> {
  await nextTurn()
  await nextTurn()
  return socket.destroyed || socket.readableEnded
}

function refuse (response: ServerResponse, status: number, reason: unknown): void {
  if (!response.headersSent) response.writeHead(status)
  response.end(String(reason))
}

async function readText (request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Returns the host to listen on. The other servers may reach this one through another host. */
export function choosePeerListenHost ({ host, peerHost = host }: PeerAddress): string {
  return isOwnAddress(peerHost) ? peerHost : host
}
