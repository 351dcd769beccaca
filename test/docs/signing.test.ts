import { execFile } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { signRequest } from '../../examples/sign/sign.mjs'
import { requests } from '../support/examples.ts'
import { build } from '../support/helper.ts'

/** The samples of docs/signatures.md sign a request that the mock accepts. */

interface Signing {
  method: string
  url: string
  body: string
  keyId: string
  privateKey: string
}

type Headers = Record<string, string>

const sample = (name: string): string =>
  fileURLToPath(new URL(`../../examples/sign/${name}`, import.meta.url))

const php = `require '${sample('sign.php')}';
$it = json_decode(stream_get_contents(STDIN), true);
echo json_encode(signRequest($it['method'], $it['url'], $it['body'], $it['keyId'],
    $it['privateKey']));`
const python = `import json, sys
sys.path.insert(0, '${sample('.')}')
sys.dont_write_bytecode = True
from sign import sign_request
it = json.load(sys.stdin)
print(json.dumps(sign_request(it['method'], it['url'], it['body'].encode(), it['keyId'],
                              it['privateKey'])))`

/** Commands of each language, of which the first that works is used. */
const languages: Array<[name: string, programs: string[], probe: string[], run: string[]]> = [
  ['PHP', ['php'], ['-r', 'exit(extension_loaded("openssl") ? 0 : 1);'], ['-r', php]],
  ['Python', ['python3', '/usr/bin/python3'], ['-c', 'import cryptography'], ['-c', python]]
]

async function findProgram (programs: string[], probe: string[]): Promise<string | undefined> {
  for (const program of programs) {
    const works = await promisify(execFile)(program, probe).then(
      () => true,
      () => false
    )
    if (works) return program
  }
}

async function runSample (program: string, args: string[], signing: Signing): Promise<Headers> {
  const running = promisify(execFile)(program, args)
  running.child.stdin?.end(JSON.stringify(signing))
  return JSON.parse((await running).stdout)
}

const { publicKey, privateKey } = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' }
})

const samples: Array<[name: string, sign: ((signing: Signing) => Promise<Headers>) | undefined]> = [
  ['Node', async (signing) => signRequest(signing, signing)]
]
for (const [name, programs, probe, run] of languages) {
  const program = await findProgram(programs, probe)
  samples.push([
    name,
    program === undefined ? undefined : (signing) => runSample(program, run, signing)
  ])
}

for (const [name, sign] of samples) {
  const isMissing = sign === undefined && process.env.SAMPLE_TESTS !== 'required'
  t.test(
    `${name}: a signed request is accepted, a changed one is refused`,
    { skip: isMissing ? `there is no ${name} here` : false },
    async (t) => {
      const { call, url } = await build(t)
      await call('PATCH', '/__admin/account', {
        signedRequestsOnly: true,
        publicKeys: [{ id: 'shop-key-1', key: publicKey }]
      })
      const body = JSON.stringify(requests.v2.deposit!())
      const target = `${url}/v2/deposits`
      const headers = await sign!({
        method: 'POST',
        url: target,
        body,
        keyId: 'shop-key-1',
        privateKey
      })
      const send = async (body: string): Promise<Response> =>
        await fetch(target, {
          method: 'POST',
          headers: { ...headers, authorization: 'Bearer test-token' },
          body
        })
      const answer = await send(body)
      t.match(await answer.json(), { status: 'ACCEPTED' })
      t.ok(answer.headers.get('signature'), 'the answer is signed, too')
      t.equal((await send(body.replace('15', '16'))).status, 401)
    }
  )
}
