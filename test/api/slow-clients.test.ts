import { once } from 'node:events'
import { createConnection } from 'node:net'
import t from 'tap'
import { build } from '../support/helper.ts'

t.test('a request that does not arrive in time is cut off', async (t) => {
  const { url } = await build(t, {}, undefined, { requestTimeoutMs: 200 })
  const { port, hostname } = new URL(url)
  for (const [name, text] of [
    ['the headers', 'POST /v2/deposits HTTP/1.1\r\nhost: momock\r\n'],
    ['the body', 'POST /v2/deposits HTTP/1.1\r\nhost: momock\r\ncontent-length: 5\r\n\r\n{']
  ]) {
    const socket = createConnection({ port: Number(port), host: hostname })
    socket.write(text)
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    await once(socket, 'close')
    t.match(answer, /^(HTTP\/1\.1 408 |$)/, `without ${name}`)
  }
})
