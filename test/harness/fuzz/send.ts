import { Agent, request } from 'node:http'
import type { Running } from '../../support/server-process.ts'
import type { Shot } from './operations.ts'

/** An answer as it came; status 0 where none came in time. */
export interface Reply {
  status: number
  contentType: string
  text: string
  /** Was it a stream, of which only the beginning was read? */
  isStream: boolean
}

const noReply: Reply = { status: 0, contentType: '', text: '', isStream: false }
/** A call that waits on purpose is not waited for. */
const patienceMs = 3000
/** A server that does not answer for so long hangs. */
const longestSilenceMs = 8000
const agent = new Agent({ keepAlive: true, maxSockets: 4 })

export function sendShot (server: Running, shot: Shot, waitMs = patienceMs): Promise<Reply> {
  return new Promise((resolve) => {
    const { method, body } = shot
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    let sent
    try {
      const headers = { ...shot.headers, ...length }
      const path = encodeSpaces(shot.path)
      sent = request({ host: '127.0.0.1', port: server.port, method, path, headers, agent })
    } catch {
      // What Node itself refuses to send is sent on raw sockets.
      return resolve(noReply)
    }
    const timer = setTimeout(() => {
      sent.destroy()
      resolve(noReply)
    }, waitMs)
    sent.on('error', () => {
      clearTimeout(timer)
      resolve(noReply)
    })
    sent.on('response', (response) => {
      const contentType = response.headers['content-type'] ?? ''
      const status = response.statusCode ?? 0
      const done = (text: string, isStream = false): void => {
        clearTimeout(timer)
        resolve({ status, contentType, text, isStream })
      }
      if (contentType.startsWith('text/event-stream')) {
        done('', true)
        return sent.destroy()
      }
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => done(Buffer.concat(chunks).toString()))
      response.on('error', () => done(''))
    })
    sent.end(body)
  })
}

function encodeSpaces (path: string): string {
  return path.replace(/[^!-~]/g, (character) => encodeURIComponent(character))
}

/** Does it answer? */
export async function isAlive (server: Running): Promise<boolean> {
  const health = { operation: 'checkHealth', method: 'GET', path: '/health', headers: {} }
  const { status } = await sendShot(server, health, longestSilenceMs)
  return status === 200
}
