import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { languages } from '../../src/tls/trust-lines.ts'
import { long } from '../support/full.ts'
import { id } from '../support/helper.ts'
import { runIsolated, whyNoNetwork } from '../support/isolated.ts'
import { limitEachTest, slow } from '../support/limits.ts'

/**
 * Unmodified clients with a hard-coded https://api.sandbox.pawapay.io and with verification on. The
 * lines of `momock ca --env` are all they get.
 */

const file = (name: string): string => fileURLToPath(new URL(`./clients/${name}`, import.meta.url))

const deposit = JSON.stringify({
  depositId: 'ID',
  amount: '15',
  currency: 'ZMW',
  payer: {
    type: 'MMO',
    accountDetails: { phoneNumber: '260763456789', provider: 'MTN_MOMO_ZMB' }
  }
})

/** Command of each client, which prints ACCEPTED; and a command that shows that it can run here. */
const clients: Record<string, [client: string, check: string]> = {
  node: [`"$NODE" ${file('client.mjs')} ID`, 'true'],
  python: [`python3 ${file('client.py')} ID`, 'python3 -c "import ssl"'],
  php: [`php ${file('client.php')} ID`, 'php -m | grep -q openssl'],
  go: [`go run ${file('client.go')} ID`, 'go version'],
  java: [`java ${file('Client.java')} ID`, 'java --list-modules | grep -q jdk.compiler'],
  ruby: [`ruby ${file('client.rb')} ID`, 'ruby -ropenssl -e 1'],
  dotnet: ['false', 'false'],
  curl: [
    "curl -sS https://api.sandbox.pawapay.io/v2/deposits -H 'Content-Type: application/json' " +
      `-H 'Authorization: Bearer test-token' -d '${deposit}'`,
    'curl --version'
  ]
}

/** Tells whether a client can run here. */
function canRun (check: string): boolean {
  try {
    execFileSync('sh', ['-c', check], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

t.test('every language of momock ca has a client', async (t) => {
  t.same(Object.keys(clients), languages)
})

const missing = whyNoNetwork()
limitEachTest()

for (const [language, [client, check]] of Object.entries(clients)) {
  const isLong = !['node', 'curl'].includes(language) && long.skip
  const reason = missing ?? (canRun(check) ? undefined : `${language} is not installed`)
  t.test(`an unmodified ${language} client`, { skip: reason ?? isLong, ...slow }, async (t) => {
    const untrusting = client.replace('ID', id())
    const trusting = client.replace('ID', id())
    const { code, stdout, stderr } = await runIsolated(
      t,
      `${untrusting} && echo TRUSTED
      lines=$(momock ca --env ${language} --tls-dir "$WORK/tls") || exit 92
      eval "$lines" >&2 || exit 93
      ${trusting}`
    )
    t.equal(code, 0, code === 0 ? 'it can be trusted' : stderr)
    t.notMatch(stdout, /TRUSTED/, 'it refuses the certificate before')
    t.match(stdout, /ACCEPTED/, 'and makes a deposit after')
    t.match(stdout.match(/ACCEPTED/g), { length: 1 })
  })
}

t.test('the client of the compose example', { skip: missing ?? long.skip }, async (t) => {
  const example = fileURLToPath(new URL('../../examples/compose-tls/client.mjs', import.meta.url))
  const { code, stdout, stderr } = await runIsolated(
    t,
    `NODE_EXTRA_CA_CERTS="$WORK/tls/ca.pem" "$NODE" ${example}`,
    { MOMOCK_CHECKOUT_URL: 'https://checkout.sandbox.pawapay.io' }
  )
  t.equal(code, 0, stderr)
  t.equal(
    stdout,
    'deposit ACCEPTED\ncheckout page 200 of checkout.sandbox.pawapay.io\n' +
      'deposit of 15.00 ZMW found\n'
  )
})

t.test('an unknown name fails verification', { skip: missing ?? false }, async (t) => {
  const { code, stderr } = await runIsolated(
    t,
    `echo '127.0.0.1 api.example.test' >> "$WORK/hosts"
    export NODE_EXTRA_CA_CERTS="$WORK/tls/ca.pem"
    "$NODE" -e "fetch('https://api.example.test/health').catch(({ cause }) => {
      console.error(cause.code); process.exit(7) })"`
  )
  t.equal(code, 7)
  t.match(stderr, 'ERR_TLS_CERT_ALTNAME_INVALID')
})
