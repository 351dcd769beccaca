import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Check } from '../../src/conform/judgement.ts'
import type { Momock } from '../../src/index.ts'
import { createMomock } from '../support/momock.ts'

/** Servers for the tests of `momock conform`: the mock, and servers that are wrong on purpose. */

export async function mockOf (
  t: Test,
  options: Parameters<typeof createMomock>[0] = {}
): Promise<Momock> {
  const mock = await createMomock(options)
  t.teardown(mock.close)
  return mock
}

export async function serve (
  t: Test,
  listener: (request: IncomingMessage, response: ServerResponse) => unknown
): Promise<string> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

export interface Seen {
  method: string
  path: string
  status: number
  body: any
  text?: string
  headers?: Record<string, string>
}

/** A server that answers like the mock, except for what a test changes. */
export async function serveChanged (
  t: Test,
  mock: Momock,
  change: (seen: Seen, response: ServerResponse) => void
): Promise<string> {
  return await serve(t, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { authorization, 'content-type': type } = request.headers
    const answer = await fetch(mock.url + request.url, {
      method: request.method,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(type !== undefined && { 'content-type': type })
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) })
    })
    const seen: Seen = {
      method: request.method!,
      path: request.url!,
      status: answer.status,
      body: await answer.json()
    }
    change(seen, response)
    if (response.destroyed || response.writableEnded) return
    response
      .writeHead(seen.status, { 'content-type': 'application/json', ...seen.headers })
      .end(seen.text ?? JSON.stringify(seen.body))
  })
}

/** What differs, in a line each. */
export function findings (checks: readonly Check[]): string[] {
  return checks.flatMap(({ operation, name, differences }) =>
    differences.map(({ kind, field, more }) => `${operation} ${name}: ${kind} ${field} (${more})`)
  )
}

export type Change = (seen: Seen, response: ServerResponse) => void
export const onPath =
  (method: string, path: RegExp, change: Change): Change =>
    (seen, response) => {
      if (seen.method === method && path.test(seen.path)) change(seen, response)
    }
export const onCode =
  (path: RegExp, code: string, change: (reason: any, seen: Seen) => void): Change =>
    (seen) => {
      if (path.test(seen.path) && seen.body.failureReason?.failureCode === code) {
        change(seen.body.failureReason, seen)
      }
    }
