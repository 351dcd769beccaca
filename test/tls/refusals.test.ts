import { once } from 'node:events'
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { serviceHosts } from '../../src/domain/service-hosts.ts'
import { createMomock } from '../../src/index.ts'
import { certificateFor } from '../support/certificates.ts'
import { runCommand } from '../support/command-runner.ts'
import { long } from '../support/full.ts'
import { folder } from '../support/helper.ts'
import { command, run } from '../support/process.ts'
import { startProgram } from '../support/program.ts'

/** Wrong settings of the TLS listener end the start with a message, before anything listens. */

const { server, authority } = await certificateFor(['localhost'])
const other = await certificateFor(['localhost'])

/** Settings, and what the program says. The port is used by another program. */
const rows: Array<[what: string, args: (port: number) => string[], code: number, said: RegExp[]]> =
  [
    [
      'a port in use',
      (port) => ['--tls-port', String(port)],
      3,
      [/port \d+ on 127\.0\.0\.1 is used by another program/, /--tls-port/]
    ],
    [
      'the same port twice',
      () => ['--port', '7171', '--tls-port', '7171'],
      2,
      [/tlsPort is 7171, as port is/]
    ],
    [
      'a folder that cannot be written',
      () => ['--tls-port', '0', '--tls-dir', 'file.txt/tls'],
      2,
      [/file\.txt\/tls\/ca\.key cannot be written \(ENOTDIR/, /--tls-dir/]
    ],
    [
      'wrong host names',
      () => ['--tls-port', '0', '--tls-hosts', 'good.test,under_score,https://a.test'],
      2,
      [/'under_score' is not a host name/, /'https:\/\/a\.test' is not a host name/]
    ],
    [
      'a certificate without a key',
      () => ['--tls-port', '0', '--tls-cert', 'server.pem'],
      2,
      [/tlsCert needs tlsKey/]
    ],
    [
      'a key without a certificate',
      () => ['--tls-port', '0', '--tls-key', 'server.key'],
      2,
      [/tlsKey needs tlsCert/]
    ],
    [
      'files that do not exist',
      () => ['--tls-port', '0', '--tls-cert', 'a.pem', '--tls-key', 'a.key'],
      2,
      [/tlsCert: a\.pem cannot be read \(ENOENT/, /tlsKey: a\.key cannot be read \(ENOENT/]
    ],
    [
      'files with another content',
      () => ['--tls-port', '0', '--tls-cert', 'server.key', '--tls-key', 'server.pem'],
      2,
      [
        /tlsCert: server\.key is not a certificate as PEM/,
        /tlsKey: server\.pem is not a private key/
      ]
    ],
    [
      'the key of another certificate',
      () => ['--tls-port', '0', '--tls-cert', 'server.pem', '--tls-key', 'other.key'],
      2,
      [/the key in other\.key does not belong to the certificate in server\.pem/]
    ],
    [
      'a certificate without a port',
      () => ['--tls-cert', 'server.pem', '--tls-key', 'server.key'],
      2,
      [/tlsCert has no effect without tlsPort/]
    ],
    [
      'a host of the service in links, without a port',
      () => ['--checkout-url', 'https://checkout.sandbox.pawapay.io'],
      2,
      [/checkoutUrl is a host of the service, which needs HTTPS; set tlsPort/]
    ],
    [
      'a host of the service in links, without HTTPS',
      () => ['--tls-port', '0', '--payment-page-url', 'http://paywith.pawapay.io'],
      2,
      [/paymentPageUrl must begin with https:\/\//]
    ],
    ['a port that is none', () => ['--tls-port', '70000'], 2, [/--tls-port must be a port/]]
  ]

t.jobs = 2
const blocker = createServer()
await once(blocker.listen(0, '127.0.0.1'), 'listening')
t.teardown(() => blocker.close())
const { port } = blocker.address() as AddressInfo

for (const [n, [what, args, code, said]] of rows.entries()) {
  t.test(`the start is refused: ${what}`, n < 3 ? {} : long, async (t) => {
    const cwd = folder(t)
    writeFileSync(join(cwd, 'file.txt'), '')
    writeFileSync(join(cwd, 'server.pem'), server.cert + authority)
    writeFileSync(join(cwd, 'server.key'), server.key)
    writeFileSync(join(cwd, 'other.key'), other.server.key)
    const outcome = await run(t, ['--port', '0', '--db', ':memory:', ...args(port)], { cwd })
    t.equal(outcome.code, code, outcome.stderr)
    t.equal(outcome.stdout, '', 'it was never ready')
    t.match(outcome.stderr, /^momock cannot start:/)
    for (const part of said) t.match(outcome.stderr, part)
  })
}

t.test('momock doctor finds the same problems and changes nothing', long, async (t) => {
  const cwd = folder(t)
  writeFileSync(join(cwd, 'file.txt'), '')
  const doctor = async (...args: string[]): Promise<string> =>
    (await run(t, ['doctor', '--port', '0', '--db', ':memory:', ...args], { cwd })).stdout
  t.match(await doctor(), /ok {4}tls {8}HTTPS is off/)
  t.match(await doctor('--tls-port', String(port)), /fail {2}tls {8}port \d+ .* is used by another/)
  const fresh = await doctor('--tls-port', '0', '--tls-dir', 'certificates')
  t.match(fresh, /ok {4}tls {8}the first start will create .*certificates\/ca\.pem/)
  t.match(await doctor('--tls-port', '0', '--tls-dir', 'file.txt/tls'), /fail {2}tls/)
  await run(t, ['ca', '--tls-dir', 'certificates'], { cwd })
  const known = ['--tls-port', '0', '--tls-dir', 'certificates']
  t.match(await doctor(...known), /ok {4}tls {8}clients must trust .*certificates\/ca\.pem/)
  t.match(await doctor(...known, '--tls-hosts', 'new.test'), /fail {2}tls .*cannot sign new\.test/)
})

t.test('momock ca prints the certificate, and the lines of a language', long, async (t) => {
  const cwd = folder(t)
  const [first, second] = [await run(t, ['ca'], { cwd }), await run(t, ['ca'], { cwd })]
  t.match(first, { code: 0, stdout: /^-----BEGIN CERTIFICATE-----\n/ })
  t.match(first.stderr, `a new certificate authority was created in ${join(cwd, 'data/tls')};`)
  t.equal(second.stderr, '')
  t.equal(second.stdout, first.stdout, 'the authority is created once')
  const node = await run(t, ['ca', '--env', 'node'], { cwd })
  t.match(node.stdout, /^export NODE_EXTRA_CA_CERTS='\/.*\/data\/tls\/ca\.pem'\n$/)
  t.match(await run(t, ['ca', '--env', 'perl'], { cwd }), { code: 2, stderr: /node, python, php/ })
  t.match(await run(t, ['ca', '--tls-cert', 'own.pem'], { cwd }), {
    code: 2,
    stderr: /clients must trust the authority that signed your own certificate/
  })
})

t.test('an authority that could not be written leaves nothing behind', async (t) => {
  const cwd = folder(t)
  const args = ['ca', '--tls-dir', 'tls']
  // The limit of the shell ends the first write to a file, as a full disk does.
  const full = startProgram(
    t,
    ['sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh', ...command(args)],
    { cwd }
  )
  t.match(await full.end(), { code: 2, stderr: /tls\/ca\.key cannot be written \(EFBIG/ })
  t.strictSame(readdirSync(join(cwd, 'tls')), [])
  t.match(await run(t, args, { cwd }), { code: 0, stdout: /^-----BEGIN/ })
})

t.test('momock ca --hosts prints the line of all hosts, and creates no authority', async (t) => {
  const cwd = folder(t)
  t.match(await runCommand(t, ['ca', '--hosts', '--tls-dir', 'tls'], { cwd }), {
    code: 0,
    stdout:
      '127.0.0.1 api.sandbox.pawapay.io api.pawapay.io api.sandbox.pawapay.cloud ' +
      'api.pawapay.cloud checkout.sandbox.pawapay.io checkout.pawapay.io ' +
      'sandbox.paywith.pawapay.io paywith.pawapay.io\n',
    stderr: ''
  })
  t.strictSame(readdirSync(cwd), [])
  const page = readFileSync(new URL('../../docs/tls.md', import.meta.url), 'utf8')
  for (const host of serviceHosts) t.match(page, `\`${host}\``)
})

t.test('momock ca prints the authority of the mock that runs', async (t) => {
  const [home, elsewhere] = [folder(t), folder(t)]
  const mock = await createMomock({ tls: true })
  t.teardown(mock.close)
  const plain = await createMomock()
  t.teardown(plain.close)
  const { port } = new URL(mock.url)
  const ways = [
    ['--url', mock.url],
    ['--port', port]
  ]
  for (const way of ways) {
    const ca = await runCommand(t, ['ca', ...way], { cwd: elsewhere })
    t.strictSame(ca, { code: 0, stdout: `${mock.ca.trimEnd()}\n`, stderr: '' }, way[0])
  }
  t.strictSame(readdirSync(elsewhere), [], 'no authority was made')
  const { stdout } = await runCommand(t, ['ca', '--port', port, '--env', 'curl'], { cwd: home })
  const [, bundle] = /^export CURL_CA_BUNDLE='(.*)'\n$/.exec(stdout) ?? []
  t.match(readFileSync(bundle, 'utf8'), mock.ca.trim())
  t.match(await runCommand(t, ['ca', '--url', plain.url]), {
    code: 1,
    stderr: /this server has no certificate authority \(start it with --tls-port/
  })
  t.match(await runCommand(t, ['ca', '--port', new URL(plain.url).port]), {
    code: 0,
    stdout: /BEGIN CERTIFICATE/,
    stderr: /a new certificate authority was created/
  })
  t.match(await runCommand(t, ['ca', '--url', 'http://127.0.0.1:1']), { code: 3, stdout: '' })
})
