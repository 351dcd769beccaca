import { connect as connectHttp2 } from 'node:http2'
import { request } from 'node:https'
import { connect, type TLSSocket } from 'node:tls'
import type { TlsMomock } from '../../src/index.ts'

/** Requests to the TLS listener of a mock, for any host name. */

export interface Call {
  method?: string
  headers?: Record<string, string>
  body?: string
}

export interface Answer {
  status: number
  headers: Record<string, unknown>
  text: string
}

/** Sends a request for a host over one protocol. */
export type Send = (mock: TlsMomock, host: string, path: string, call?: Call) => Promise<Answer>

/** Opens a verified connection to the mock, as a client of the host. */
export function openSocket (
  { tlsUrl, ca }: TlsMomock,
  servername: string,
  protocol: 'h2' | 'http/1.1' = 'http/1.1'
): TLSSocket {
  const { hostname: host, port } = new URL(tlsUrl)
  return connect({ host, port: Number(port), servername, ca, ALPNProtocols: [protocol] })
}

const overHttp1: Send = async (mock, host, path, { method, headers, body } = {}) =>
  await new Promise((resolve, reject) => {
    const createConnection = (): TLSSocket => openSocket(mock, host)
    const options = { host, defaultPort: 443, path, method, headers, createConnection }
    const sent = request(options, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      )
    })
    sent.on('error', reject).end(body)
  })

const overHttp2: Send = async (mock, host, path, { method = 'GET', headers, body } = {}) => {
  const createConnection = (): TLSSocket => openSocket(mock, host, 'h2')
  const session = connectHttp2(`https://${host}`, { createConnection })
  try {
    return await new Promise((resolve, reject) => {
      session.on('error', reject)
      const stream = session.request({ ':method': method, ':path': path, ...headers })
      let answer: Answer = { status: 0, headers: {}, text: '' }
      stream.on('response', ({ ':status': status = 0, ...rest }) => {
        answer = { status, headers: rest, text: '' }
      })
      stream.setEncoding('utf8').on('data', (part: string) => {
        answer.text += part
      })
      stream.on('error', reject)
      stream.on('aborted', () => reject(new Error('the stream was aborted')))
      stream.on('close', () => resolve(answer))
      stream.end(body)
    })
  } finally {
    session.destroy()
  }
}

/** Both protocols. */
export const protocols: Array<[name: string, send: Send]> = [
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2]
]
