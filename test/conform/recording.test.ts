import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Check } from '../../src/conform/judgement.ts'
import {
  secretRemover,
  showMediaType,
  showName,
  showPath,
  showUrl,
  showValue
} from '../../src/conform/redaction.ts'
import { isSandbox } from '../../src/conform/sandbox.ts'
import { runCommand } from '../support/command-runner.ts'
import { findings } from './servers.ts'
import { folder } from '../support/helper.ts'
import { readJunit } from '../support/reports.ts'

/** `momock conform --har`, and what its reports may show. */

t.test(
  'a recording: its answers are checked, and no secret of it is shown or written',
  async (t) => {
    const secrets = [
      'tok-9f8e7d6c5b4a',
      'session-cookie-77',
      '260763456789',
      'Mutale',
      'Banda',
      'c2lnbmF0dXJl',
      'query-token-1'
    ]
    const entry = (
      method: string,
      url: string,
      status: number,
      body: unknown,
      mimeType = 'application/json'
    ): object => ({
      request: {
        method,
        url,
        headers: [
          { name: 'Authorization', value: `Bearer ${secrets[0]}` },
          { name: 'Signature', value: `sig-pp=:${secrets[5]}:` }
        ],
        cookies: [{ name: 'sid', value: secrets[1] }],
        postData: {
          text: JSON.stringify({ firstName: 'Mutale', lastName: 'Banda', phoneNumber: secrets[2] })
        }
      },
      response: {
        status,
        content: {
          mimeType,
          ...(body !== undefined && {
            text: typeof body === 'string' ? body : JSON.stringify(body)
          })
        }
      }
    })
    const good = { status: 'NOT_FOUND' }
    const base = 'https://api.sandbox.example'
    const id = '8e5d0c8e-6c0f-4e0b-9a53-6b1d7c1f0a11'
    const har = {
      log: {
        entries: [
          entry('GET', `${base}/v2/deposits/${id}?token=${secrets[6]}`, 200, good),
          entry('GET', `${base}/v2/deposits/${id}`, 200, {
            status: secrets[0],
            [secrets[2]]: 1,
            [secrets[0]]: 1,
            Mutale: 'Banda'
          }),
          entry('GET', `${base}/deposits/${id}`, 200, Buffer.from('[]').toString('base64')),
          entry(
            'GET',
            `${base}/v2/deposits/${id}`,
            418,
            `teapot of ${secrets[3]}`,
            `text/${secrets[0]}`
          ),
          entry('GET', `${base}/v2/public-key/http`, 200, '<p>', `text/${secrets[0]}`),
          entry('GET', `${base}/v2/wallet-balances`, 0, undefined),
          entry(
            'GET',
            `https://other.example/login/${secrets[2]}/Mutale?token=${secrets[6]}`,
            200,
            good
          )
        ]
      }
    }
    Object.assign((har.log.entries[2] as any).response.content, { encoding: 'base64' })
    const cwd = folder(t)
    writeFileSync(join(cwd, 'traffic.har'), `\ufeff${JSON.stringify(har)}`)
    const { code, stdout, stderr } = await runCommand(
      t,
      [
        'conform',
        '--har',
        'traffic.har',
        '--json',
        'r.json',
        '--junit',
        'r.xml',
        '--markdown',
        'r.md'
      ],
      { cwd }
    )
    t.equal(code, 1)
    const { checks, others, mode } = JSON.parse(readFileSync(join(cwd, 'r.json'), 'utf8'))
    t.equal(mode, 'recording')
    t.same(
      checks.map(({ operation, name, outcome }: Check) => `${operation} ${name} ${outcome}`),
      [
        'v2FindDeposit entry 1 passed',
        'v2FindDeposit entry 2 failed',
        'v1FindDeposit entry 3 passed',
        'v2FindDeposit entry 4 failed',
        'v2ListPublicKeys entry 5 failed',
        'v2ListWalletBalances entry 6 skipped'
      ]
    )
    t.same(others, ['GET /login/…/…'])
    t.same(findings(checks), [
      'v2FindDeposit entry 2: unknown-value status (server)',
      'v2FindDeposit entry 2: unknown-field [hidden] (server)',
      'v2FindDeposit entry 4: unknown-status  (server)',
      'v2ListPublicKeys entry 5: not-json  (neither)'
    ])
    readJunit(readFileSync(join(cwd, 'r.xml'), 'utf8'))
    const written = [
      stdout,
      stderr,
      ...['r.json', 'r.xml', 'r.md'].map((file) => readFileSync(join(cwd, file), 'utf8'))
    ].join('\n')
    for (const secret of secrets) t.notOk(written.includes(secret), `${secret} is not shown`)
    const below = await runCommand(
      t,
      ['conform', '--har', 'traffic.har', '--url', 'https://other.example'],
      { cwd }
    )
    t.match(below, {
      code: 2,
      stderr: new RegExp(
        String.raw`--har: traffic\.har has no request of this API below ` +
          String.raw`https:\/\/other\.example; it has 7 others`
      )
    })
  }
)

t.test('a text is read once for all secrets, and the longest one is hidden', async (t) => {
  const rows: Array<[secrets: string[], text: string, shown: string]> = [
    [[], 'sid=1234', 'sid=1234'],
    [['1234'], '1234 of 12345', '[hidden] of [hidden]5'],
    [['1234', '12345', '1234'], '12345, 1234', '[hidden], [hidden]'],
    [['12345', '1299'], '1234512991299', '[hidden][hidden][hidden]'],
    [['123', ''], '123', '123'],
    [['a.*b'], 'a.*b axxb', '[hidden] axxb']
  ]
  for (const [secrets, text, shown] of rows) {
    t.equal(secretRemover(secrets)(text), shown, `${secrets} in ${text}`)
  }
  // One pass for each of these secrets would take longer than the limit of a test.
  const cookies = Array.from({ length: 20_000 }, (_, n) => `cookie-${n}-of-a-recording`)
  const line = 'entry 7: cookie-77-of-a-recording, which is no report of anything else\n'
  const report = line.repeat(100_000)
  t.equal(secretRemover(cookies)(report), report.replaceAll(cookies[77], '[hidden]'))
})

t.test('what may be shown', async (t) => {
  const rows: Array<[shown: string, want: string]> = [
    [showMediaType('text/html'), 'text/html'],
    [showMediaType('text/a1b2c3d4'), 'another content type'],
    [showMediaType(''), 'an answer without a content type'],
    [showName('Mutale'), '[hidden]'],
    [showName('MTN_INIT'), 'MTN_INIT'],
    [showName('providerTransactionId'), 'providerTransactionId'],
    [showName('260763456789'), '[hidden]'],
    [showName('two words'), '[hidden]'],
    [showName('x'.repeat(41)), '[hidden]'],
    [showName('sha256'), 'sha256'],
    [showValue('NOT_FOUND'), 'NOT_FOUND'],
    [showValue('eyJhbGciOi'), 'a string of 10 characters'],
    [showValue('A1234567'), 'a string of 8 characters'],
    [showValue(7), '7'],
    [showValue(260763456789), 'another number'],
    [showValue(null), 'null'],
    [showValue([1]), 'an array'],
    [showValue({}), 'an object'],
    [showPath('/v2/deposits/8e5d0c8e-6c0f-4e0b-9a53-6b1d7c1f0a11'), '/v2/deposits/…'],
    [showPath('/users/Ada?token=x'), '/users/…'],
    [showUrl('https://user:pass@api.example/base/?token=x#y'), 'https://api.example/base'],
    [showUrl('nonsense'), '[hidden]']
  ]
  for (const [shown, want] of rows) t.equal(shown, want)
  const places: Array<[url: string, is: boolean]> = [
    ['https://api.sandbox.pawapay.io', true],
    ['https://sandbox-api.example.com', true],
    ['http://localhost:7070', true],
    ['http://momock:7070', true],
    ['http://172.20.0.3', true],
    ['http://[::1]:7070', true],
    ['http://[::ffff:10.0.0.1]', true],
    ['http://10.example.com', false],
    ['http://127.evil.com', false],
    ['http://192.168.example.com', false],
    ['https://api.pawapay.io', false],
    ['https://mysandboxes.example.com', false],
    ['http://172.40.0.3', false],
    ['http://8.8.8.8', false]
  ]
  for (const [url, is] of places) t.equal(isSandbox(url), is, url)
})
