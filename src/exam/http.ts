import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { stopwatch } from './mock.ts'

/**
 * Requests to the merchant, with a limit on everything: time, size, and no redirect is followed.
 */

/** Time a receiver of callbacks has, as the service gives it. */
export const callbackTimeoutMs = 10_000
/** Time a drive or an observation has. */
export const requestTimeoutMs = 30_000
/** So much of an answer is read; a larger one is refused, or cut off. */
export const mostBytes = 1024 * 1024

export interface Message {
  method: string
  url: string
  headers: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  headers: Record<string, string | string[]>
  body: string
  durationMs: number
  /** Was there more of the body than is read? */
  isCut: boolean
}

/** A request that got no answer, in words for the user. */
export class NoAnswer extends Error {
  readonly code: string
  readonly durationMs: number

  constructor (message: string, code: string, durationMs: number) {
    super(message)
    this.code = code
    this.durationMs = durationMs
  }
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was closed without an answer',
  EPIPE: 'the connection was closed without an answer',
  ENOTFOUND: 'nobody knows that host name',
  EAI_AGAIN: 'nobody knows that host name',
  EHOSTUNREACH: 'there is no way to that address',
  ENETUNREACH: 'there is no way to that address',
  HPE_INVALID_CONSTANT: 'what answers does not speak HTTP',
  HPE_HEADER_OVERFLOW: 'the headers of the answer are too large'
}

/** Connection to use instead of a new one, and a signal that ends the request early. */
export interface SendOptions {
  socket?: Socket
  stop?: AbortSignal
}

/** Sends a request and reads the answer. */
export async function send (
  message: Message,
  timeoutMs: number,
  { socket, stop }: SendOptions = {}
): Promise<Answer> {
  const begun = stopwatch()
  const late = AbortSignal.timeout(timeoutMs)
  try {
    const response = await open(
      message,
      stop === undefined ? late : AbortSignal.any([late, stop]),
      socket
    )
    const { body, isCut } = await read(response)
    return {
      status: response.statusCode ?? 0,
      headers: headersOf(response),
      body,
      durationMs: stopwatch() - begun,
      isCut
    }
  } catch (error) {
    const durationMs = stopwatch() - begun
    if (late.aborted) {
      throw new NoAnswer(`no answer within ${timeoutMs / 1000} s`, 'TIMEOUT', durationMs)
    }
    const { code = 'UNKNOWN', message: text } =
      error instanceof Error
        ? (error as NodeJS.ErrnoException)
        : (new Error(String(error)) as NodeJS.ErrnoException)
    throw new NoAnswer(reasons[code] ?? text, code, durationMs)
  } finally {
    socket?.destroy()
  }
}

function open (
  { method, url, headers, body }: Message,
  signal: AbortSignal,
  socket?: Socket
): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? httpsRequest : httpRequest
  const options: RequestOptions = {
    method,
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-length': Buffer.byteLength(body).toString() })
    },
    signal,
    // Each request has its own connection: the merchant could close a kept one at the wrong moment.
    agent: false,
    ...(socket !== undefined && { createConnection: () => socket })
  }
  return new Promise((resolve, reject) => {
    request(url, options, resolve).on('error', reject).end(body)
  })
}

async function read (response: IncomingMessage): Promise<{ body: string; isCut: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > mostBytes) {
      response.destroy()
      return { body: Buffer.concat(chunks).toString(), isCut: true }
    }
    chunks.push(chunk)
  }
  return { body: Buffer.concat(chunks).toString(), isCut: false }
}

function headersOf ({ headers }: IncomingMessage): Answer['headers'] {
  const known: Answer['headers'] = {}
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) known[name] = value
  return known
}

/**
 * Connections that are open before anything is sent, so that many requests can arrive at the same
 * moment.
 */
export async function openSockets (
  url: string,
  count: number,
  timeoutMs: number
): Promise<Socket[]> {
  return await Promise.all(Array.from({ length: count }, () => connect(url, timeoutMs)))
}

/** Opens a connection to the host of a URL. */
export function connect (url: string, timeoutMs: number): Promise<Socket> {
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const isTls = protocol === 'https:'
  const begun = stopwatch()
  return new Promise((resolve, reject) => {
    const to = { host, port: Number(port) || (isTls ? 443 : 80) }
    const socket = isTls ? connectTls({ ...to, servername: host }) : connectPlain(to)
    const late = setTimeout(
      () =>
        socket.destroy(
          new NoAnswer(`no connection within ${timeoutMs / 1000} s`, 'TIMEOUT', timeoutMs)
        ),
      timeoutMs
    )
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(late)
      socket.removeAllListeners('error')
      resolve(socket)
    })
    socket.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late)
      const { code = 'UNKNOWN' } = error
      reject(
        error instanceof NoAnswer
          ? error
          : new NoAnswer(reasons[code] ?? error.message, code, stopwatch() - begun)
      )
    })
  })
}
