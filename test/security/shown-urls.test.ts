import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { showUrl, showUrls } from '../../src/lib/url.ts'
import { views } from '../../routes/dashboard/views.ts'
import { runCommand } from '../support/command-runner.ts'
import { folder, until } from '../support/helper.ts'
import { command, deposit } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

/** Passwords and tokens of URLs: set in each place that takes a URL, and shown nowhere. */

const urls: Array<[url: string, shown: string]> = [
  ['http://127.0.0.1:3000/hook', 'http://127.0.0.1:3000/hook'],
  ['http://shop:secret@host/hook', 'http://shop:[hidden]@host/hook'],
  ['http://shop:se:cret@host/a@b', 'http://shop:[hidden]@host/a@b'],
  ['http://shop@host/hook', 'http://shop@host/hook'],
  ['https://host/hook?token=secret', 'https://host/hook?token=[hidden]'],
  ['https://host/?a=secret&b=secret=x&c=', 'https://host/?a=[hidden]&b=[hidden]&c='],
  ['https://host/hook?secret', 'https://host/hook?[hidden]'],
  ['https://host/#access_token=secret&x', 'https://host/#access_token=[hidden]&x'],
  ['https://host/page#part', 'https://host/page#part'],
  ['https://h/x?t=secret#k=secret', 'https://h/x?t=[hidden]#k=[hidden]'],
  ['/v2/deposits?access_token=secret', '/v2/deposits?access_token=[hidden]'],
  ['/v2/deposits', '/v2/deposits'],
  ['', '']
]

t.test('a URL is shown with names and without secrets, alone and inside of a text', async (t) => {
  for (const [url, shown] of urls) {
    t.equal(showUrl(url), shown, url)
    t.equal(showUrls(`it is ${url} now`), `it is ${shown} now`, url)
    const line = JSON.stringify({ url, msg: `${url} \n ${url}` })
    t.same(JSON.parse(showUrls(line)), { url: shown, msg: `${shown} \n ${shown}` }, url)
  }
  for (const text of ['15.00 ZMW', 'did you mean /v2/deposits?', 'a/b: c?d', 'src/app.ts:12:3']) {
    t.equal(showUrls(text), text)
  }
})

const secret = 'mtn4secret8word'
/** Forms in which a secret can appear. */
const forms = [secret, Buffer.from(`shop:${secret}`).toString('base64')]

const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }

async function start (t: Test, db: string, format: string) {
  const flags = ['--port', '0', '--db', db, '--log-format', format, '--log-level', 'trace']
  const program = startProgram(t, command(flags), { cwd: folder(t) })
  await program.prints(/Ctrl-C|momock is ready/)
  const [url] = await program.prints(/http:\/\/127\.0\.0\.1:\d+/)
  const call = async (method: string, path: string, body?: unknown): Promise<string> => {
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
    return await response.text()
  }
  return { ...program, url, call }
}

type Started = Awaited<ReturnType<typeof start>>

/** Sets the secret everywhere, and has the callbacks sent, refused, and not answered. */
async function setSecrets ({ call, url }: Started, port: number): Promise<string> {
  const place = (path: string): string =>
    `http://shop:${secret}@127.0.0.1:${port}/${path}?token=${secret}&key=${secret}`
  const nobody = place('gone').replace(String(port), '9')
  await call('PATCH', '/__admin/account', {
    callbacks: { deposits: place('deposits'), payouts: nobody }
  })
  const body = deposit()
  const statement = { wallet: { country: 'ZMB', currency: 'ZMW' } }
  await call('POST', '/v2/deposits', body)
  await call('POST', '/v2/payouts', {
    payoutId: '00000000-0000-4000-8000-000000000001',
    amount: '15',
    currency: 'ZMW',
    recipient: body.payer
  })
  const daysAgo = (days: number): string =>
    new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 19)
  const period = { startDate: daysAgo(2), endDate: daysAgo(1) }
  await call('POST', '/v2/statements', { ...statement, ...period, callbackUrl: place('statement') })
  await call('POST', '/v2/statements', {
    ...statement,
    ...period,
    callbackUrl: `ftp://shop:${secret}@host/x?token=${secret}`
  })
  await call('PATCH', '/__admin/account', { callbacks: { refunds: `ftp://a:${secret}@host/` } })
  for (const path of ['/v2/deposits/x', '/v2/nothing', '/__admin/nothing', '/__admin/payments']) {
    await call('GET', `${path}?access_token=${secret}`)
  }
  await fetch(`${url}/v2/deposits?access_token=${secret}`, {
    method: 'POST',
    headers: { ...headers, signature: 'x=:x:' },
    body: '{}'
  })
  return `/payments/deposit/${body.depositId}`
}

/** Paths whose answers show callback URLs or request URLs, besides those that edit them. */
const lists = [
  '/__admin/callbacks',
  '/__admin/metrics',
  '/__admin/lint',
  '/__admin/invariants',
  '/__admin/exam',
  '/__admin/set-aside',
  '/__admin/coverage'
]

t.test('the secrets of URLs are shown nowhere', async (t) => {
  const receiver = createServer((_, response) => response.writeHead(500).end())
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.teardown(() => receiver.close())
  const { port } = receiver.address() as AddressInfo
  for (const format of ['pretty', 'json']) {
    const shown = new Map<string, string>()
    const db = join(folder(t), 'ledger.db')
    const server = await start(t, db, format)
    const { url, call, written } = server
    const tail = startProgram(t, command(['tail', '--url', url]), { cwd: folder(t) })
    await tail.prints(/Ctrl-C stops it/, 'stderr')
    const events = new AbortController()
    const stream = await fetch(`${url}/__admin/events`, { signal: events.signal })
    const payment = await setSecrets(server, port)
    await until(
      () => call('GET', '/__admin/callbacks'),
      (text) => ['deposit', 'payout', 'statement'].every((kind) => text.includes(`"${kind}"`))
    )
    await tail.prints(/127\.0\.0\.1:9\/gone\?token=/)
    for (const path of [...lists, `/__admin${payment}`]) shown.set(path, await call('GET', path))
    const expectations = [
      { callback: { url: 'http://elsewhere/' } },
      { request: { path: '/v2/elsewhere', query: { access_token: 'x' } } }
    ]
    shown.set('verify', await call('POST', '/__admin/verify', { expectations }))
    const pages = [...views.map(({ path }) => path).filter((path) => !path.includes(':')), payment]
    for (const path of pages) {
      // The journal shows bodies as they were sent, and one of them has a callback URL.
      if (path === '/requests') continue
      const response = await fetch(`${url}/__admin/ui${path}`, { headers: { accept: 'text/html' } })
      shown.set(path, await response.text())
    }
    const archive = join(folder(t), 'bundle.tar.gz')
    const bundle = await (await fetch(`${url}/__admin/bundle`, { headers })).arrayBuffer()
    writeFileSync(archive, new Uint8Array(bundle))
    shown.set('bundle', execFileSync('tar', ['-xzOf', archive]).toString())
    shown.set('events', await readFor(stream, events))
    const doctor = await runCommand(t, ['doctor', '--port', new URL(url).port, '--db', db])
    shown.set('doctor', doctor.stdout)
    shown.set('tail', (await tail.stop('SIGINT')).stdout)
    await server.stop('SIGINT')
    shown.set('log', written.stdout + written.stderr)
    const again = await start(t, db, format)
    await again.stop('SIGINT')
    shown.set('banner', again.written.stdout)
    for (const [name, text] of shown) {
      t.notOk(
        forms.some((form) => text.includes(form)),
        `${name}, ${format}: ${findSecret(text)}`
      )
    }
    for (const name of ['log', 'banner', 'bundle', 'events', 'doctor', 'tail', '/callbacks']) {
      t.match(shown.get(name), /\?(token|access_token)=\[hidden\]/, `${name} shows the names`)
    }
  }
})

/** Text around a secret, for the message of a failure. */
function findSecret (text: string): string {
  const at = text.indexOf(secret)
  return at === -1 ? 'no secret' : text.slice(Math.max(0, at - 200), at + 40)
}

/** Reads what a stream has sent so far. */
async function readFor ({ body }: Response, stop: AbortController): Promise<string> {
  let text = ''
  try {
    for await (const chunk of body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.includes('/gone')) stop.abort()
    }
  } catch {}
  return text
}
