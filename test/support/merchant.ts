import { createHash, createPublicKey, verify } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { checkCallback, until, type Client } from './helper.ts'

/** A merchant who has read the RFC and our documentation, and none of our code. */

/** A callback as it came over the wire. */
export interface Arrival {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export const text = (value: unknown): string => String(value)
export const input = new RegExp(
  String.raw`^sig-pp=(\("@method" "@authority" "@path" "signature-date" "content-digest" ` +
    String.raw`"content-type"\);alg="ecdsa-p256-sha256";keyid="([^"]+)";created=(\d+);expire` +
    String.raw`s=(\d+))$`
)

/**
 * A merchant's server that keeps what it is sent, byte by byte. It must be as documented, unless
 * the test says why it is not.
 */
export async function merchant (
  t: Test,
  answers: number[] = [],
  { wrongBecause }: { wrongBecause?: string } = {}
): Promise<{ url: string; arrivals: Arrival[] }> {
  const arrivals: Arrival[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    response.writeHead(answers.shift() ?? 200).end()
    const body = Buffer.concat(chunks)
    if (wrongBecause === undefined) await checkCallback(t, JSON.parse(body.toString()))
    arrivals.push({
      method: text(request.method),
      url: text(request.url),
      headers: request.headers,
      body
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals }
}

/** Is the signature of a callback good, and does it cover the body? */
export function isGood (
  { method, url, headers, body }: Arrival,
  pem: string,
  dsaEncoding: 'der' | 'ieee-p1363' = 'der'
): boolean {
  const [, parameters] = input.exec(text(headers['signature-input'])) ?? []
  const [, value] = /^sig-pp=:([A-Za-z0-9+/]+=*):$/.exec(text(headers.signature)) ?? []
  const digest = `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
  const base =
    `"@method": ${method}\n"@authority": ${text(headers.host)}\n"@path": ` +
    `${url.split('?')[0]}\n"signature-date": ${text(headers['signature-date'])}\n` +
    `"content-digest": ${digest}\n"content-type": ` +
    `${text(headers['content-type'])}\n"@signature-params": ${parameters}`
  return (
    digest === headers['content-digest'] &&
    verify(
      'sha256',
      Buffer.from(base),
      { key: createPublicKey(pem), dsaEncoding },
      Buffer.from(value ?? '', 'base64')
    )
  )
}

/** And is it of this minute? */
export function isFresh ({ headers }: Arrival): boolean {
  const [, , , created, expires] = input.exec(text(headers['signature-input'])) ?? []
  const now = Date.now() / 1000
  return Number(created) <= now && Number(expires) >= now
}

export const keysOf = async (mock: Client): Promise<Array<{ id: string; key: string }>> =>
  (await mock.call('GET', '/v2/public-key/http')).body

export const arrived = (arrivals: Arrival[], count: number): Promise<number> =>
  until(
    async () => arrivals.length,
    (length) => length >= count
  )
