import { createConnection } from 'node:net'

/** What no decent client sends. The server answers with an error of the client, or hangs up. */

const crlf = '\r\n'
const head = (...lines: string[]): string => [...lines, '', ''].join(crlf)
const host = 'Host: 127.0.0.1'
const json = 'Content-Type: application/json'
const token = 'Authorization: Bearer sandbox-sockets'
const deposits = 'POST /v2/deposits HTTP/1.1'

export const rawRequests: ReadonlyArray<[what: string, bytes: string]> = [
  ['nothing but line ends', crlf.repeat(50)],
  ['noise', Array.from({ length: 3000 }, (_, n) => String.fromCharCode((n * 7919) % 256)).join('')],
  ['zeroes', '\0'.repeat(1000)],
  ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' + 'A'.repeat(200)],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['HTTP/0.9', 'GET /health\r\n'],
  ['HTTP/9.9', head('GET /health HTTP/9.9', host)],
  ['no method', head(' /health HTTP/1.1', host)],
  ['an unknown method', head('BREW /v2/deposits HTTP/1.1', host)],
  ['a method that is rarely used', head('PROPFIND /v2/deposits HTTP/1.1', host)],
  ['CONNECT', head('CONNECT /v2/deposits HTTP/1.1', host)],
  ['TRACE', head('TRACE /health HTTP/1.1', host)],
  ['no host', head('GET /v2/deposits HTTP/1.1')],
  ['two hosts', head('GET /health HTTP/1.1', host, host)],
  ['a host that is no host', head('GET /v2/deposits HTTP/1.1', 'Host: a b\\c', token)],
  ['an address for a path', head('GET http://127.0.0.1/v2/deposits HTTP/1.1', host, token)],
  ['a path that is no URL', head('GET //[ HTTP/1.1', host, token)],
  ['a path that is no URL, with a query', head('POST //[/?token=x HTTP/1.1', host, token)],
  ['a path of another host', head('GET //evil.example/x HTTP/1.1', host, token)],
  ['an address of another host', head('GET http://evil.example/x HTTP/1.1', host, token)],
  ['an address that is none', head('GET http://[ HTTP/1.1', host, token)],
  ['a host that is no URL', head('GET /v2/deposits HTTP/1.1', 'Host: [', token)],
  ['an admin call for a host that is no URL', head('GET /__admin/clock HTTP/1.1', 'Host: [')],
  ['a dashboard with a path that is no URL', head('GET /__admin/ui//[ HTTP/1.1', host)],
  ['a star for a path', head('OPTIONS * HTTP/1.1', host)],
  ['a path with bytes over 127', head('GET /v2/d\xe9posits/\xff HTTP/1.1', host, token)],
  ['a path with broken escapes', head('GET /v2/deposits/%zz%1 HTTP/1.1', host, token)],
  ['a path of 15,000 characters', head(`GET /v2/${'a'.repeat(15_000)} HTTP/1.1`, host, token)],
  ['a path of 100,000 characters', head(`GET /${'a'.repeat(100_000)} HTTP/1.1`, host)],
  ['a query of 15,000 fields', head(`GET /health?${'a&'.repeat(7000)} HTTP/1.1`, host)],
  ['3,000 headers', head('GET /health HTTP/1.1', host, 'a: b\r\n'.repeat(3000) + 'a: b')],
  ['a header of 100,000 characters', head('GET /health HTTP/1.1', host, `a: ${'b'.repeat(1e5)}`)],
  ['a header without a name', head('GET /health HTTP/1.1', host, ': b')],
  ['a folded header', head('GET /health HTTP/1.1', host, 'a: b', ' c')],
  ['a negative length', head(deposits, host, token, json, 'Content-Length: -5')],
  ['a length that is no number', head(deposits, host, token, json, 'Content-Length: five')],
  ['a huge length', head(deposits, host, token, json, 'Content-Length: 99999999999999999999')],
  [
    'two lengths',
    head(deposits, host, token, json, 'Content-Length: 2', 'Content-Length: 3') + '{}'
  ],
  [
    'a length and chunks',
    head(deposits, host, token, json, 'Content-Length: 5', 'Transfer-Encoding: chunked') +
      '0\r\n\r\n'
  ],
  [
    'chunks of a wrong size',
    head(deposits, host, token, json, 'Transfer-Encoding: chunked') + 'zz\r\n'
  ],
  [
    'a chunk of a huge size',
    head(deposits, host, token, json, 'Transfer-Encoding: chunked') + 'ffffffffffffffff\r\n{}'
  ],
  ['an unknown encoding', head(deposits, host, token, json, 'Transfer-Encoding: x')],
  [
    'a compressed body',
    head(deposits, host, token, json, 'Content-Encoding: gzip', 'Content-Length: 2') + '{}'
  ],
  [
    'an expectation',
    head(deposits, host, token, json, 'Expect: 200-maybe', 'Content-Length: 2') + '{}'
  ],
  [
    'an upgrade',
    head('GET /v2/deposits HTTP/1.1', host, token, 'Connection: Upgrade', 'Upgrade: websocket')
  ],
  [
    'a body on GET',
    head('GET /v2/wallet-balances HTTP/1.1', host, token, json, 'Content-Length: 3') + '{"a'
  ],
  [
    'a request in a request',
    head(deposits, host, token, json, 'Content-Length: 0', 'Connection: keep-alive') +
      head(deposits, host, token, json, 'Content-Length: 2') +
      '[]'
  ],
  ['500 requests at once', head('GET /health HTTP/1.1', host).repeat(500)],
  ['half a head', `GET /health HTTP/1.1${crlf}Host: 127`],
  ['half a body', head(deposits, host, token, json, 'Content-Length: 500') + '{"depositId":']
]

/** Who waits for the rest of a request is not waited for. */
const patienceMs = 300

/** Sends bytes and hangs up after a moment; the statuses that came back. */
export async function sendBytes (port: number, bytes: string): Promise<number[]> {
  const socket = createConnection(port, '127.0.0.1')
  socket.on('error', () => {})
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(Buffer.from(bytes, 'latin1'))
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, patienceMs))])
  socket.destroy()
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status))
}
