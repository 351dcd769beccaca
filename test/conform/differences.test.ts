import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { judgeReply, type Check } from '../../src/conform/judgement.ts'
import { loadOwnContract } from '../../src/conform/own-contract.ts'
import { seedIds, safeProbes } from '../../src/conform/probes.ts'
import { runProbes } from '../../src/conform/run.ts'
import { runCommand } from '../support/command-runner.ts'
import { findings, mockOf, onCode, onPath, serveChanged, type Change } from './servers.ts'
import { folder } from '../support/helper.ts'

/** Servers that are wrong on purpose: exactly that is found. */

const contract = await loadOwnContract()

/** The operations that the rows below change, and their neighbours. */
const tried = /^\/v2\/((deposits|payouts|refunds)(\/\{\w+\})?$|predict|public-key|wallet-balances)/

async function check (url: string, token: string, timeoutMs = 5000): Promise<Check[]> {
  const all = safeProbes(contract, seedIds('test'))
  const probes = all.filter(({ operation: { path } }) => tried.test(path))
  const replies = await runProbes(probes, { url, token, timeoutMs })
  return probes.map((probe, index) => {
    const reply = replies[index]
    if ('notSent' in reply) throw new Error(reply.notSent)
    return judgeReply({ ...probe, hasToken: probe.token === 'given' }, reply, contract)
  })
}

const wrongServers: Array<[what: string, change: Change, found: string[], message: RegExp]> = [
  [
    'a renamed field',
    onPath('POST', /predict/, ({ status, body }) => {
      if (status === 200) {
        body.countryCode = body.country
        delete body.country
      }
    }),
    [
      'v2PredictProvider predicts: missing-field country (schema)',
      'v2PredictProvider predicts: unknown-field countryCode (server)'
    ],
    new RegExp(
      String.raw`^the schema requires \x60country\x60, the server does not send it\nthe server ` +
        String.raw`sends \x60countryCode\x60, the schema does not have it$`
    )
  ],
  [
    'an extra field inside a list',
    onPath('GET', /public-key/, ({ status, body }) => {
      if (status === 200) body[0].algorithm = 'x'
    }),
    ['v2ListPublicKeys is answered: unknown-field [].algorithm (server)'],
    /^the server sends `\[\]\.algorithm`, the schema does not have it$/
  ],
  [
    'a missing field',
    onPath('GET', /wallet-balances/, ({ status, body }) => {
      if (status === 200) for (const wallet of body.balances) delete wallet.currency
    }),
    ['v2ListWalletBalances is answered: missing-field balances[].currency (schema)'],
    /^the schema requires `balances\[\]\.currency`, the server does not send it$/
  ],
  [
    'a status that is not documented',
    onPath('GET', /^\/v2\/deposits\//, (seen) => {
      if (seen.body.status === 'NOT_FOUND') seen.status = 404
    }),
    ['v2FindDeposit does not find an unknown identifier: unknown-status  (server)'],
    new RegExp(
      String.raw`^the server answers 404, the schema has only 200, 400, 401, 403, 429, 500, ` +
        String.raw`503; expected 200 NOT_FOUND$`
    )
  ],
  [
    'another documented status',
    onCode(/^\/v2\/payouts$/, 'MISSING_PARAMETER', (_reason, seen) => {
      seen.status = 413
      seen.body.failureReason.failureCode = 'INVALID_INPUT'
    }),
    ['v2InitiatePayout refuses a body without fields: other-status  (neither)'],
    /^expected 400 MISSING_PARAMETER, the server answers 413$/
  ],
  [
    'a missing code',
    onCode(/^\/v2\/deposits$/, 'MISSING_PARAMETER', (reason) => {
      delete reason.failureCode
    }),
    [
      'v2InitiateDeposit refuses a body without fields: missing-field ' +
        'failureReason.failureCode (schema)'
    ],
    /^the schema requires `failureReason\.failureCode`, the server does not send it$/
  ],
  [
    'another code',
    onCode(/^\/v2\/deposits$/, 'MISSING_PARAMETER', (reason) => {
      reason.failureCode = 'INVALID_INPUT'
    }),
    ['v2InitiateDeposit refuses a body without fields: other-code code (neither)'],
    /^expected 400 MISSING_PARAMETER, the server sends `INVALID_INPUT`$/
  ],
  [
    'an unknown code',
    onCode(/^\/v2\/deposits$/, 'MISSING_PARAMETER', (reason) => {
      reason.failureCode = 'FIELD_MISSING'
    }),
    [
      'v2InitiateDeposit refuses a body without fields: unknown-code ' +
        'failureReason.failureCode (server)'
    ],
    new RegExp(
      String.raw`^the server sends \x60FIELD_MISSING\x60 in ` +
        String.raw`\x60failureReason\.failureCode\x60, the schema has only .*MISSING_PARAMETER`
    )
  ],
  [
    'an unknown word of an enumeration',
    onPath('GET', /^\/v2\/refunds\//, ({ body }) => {
      if (body.status === 'NOT_FOUND') body.status = 'ABSENT'
    }),
    ['v2FindRefund does not find an unknown identifier: unknown-value status (server)'],
    /^the server sends `ABSENT` in `status`, the schema has only FOUND, NOT_FOUND$/
  ],
  [
    'a wrong type',
    onPath('GET', /wallet-balances/, ({ status, body }) => {
      if (status === 200) {
        for (const wallet of body.balances) wallet.balance = Number(wallet.balance)
      }
    }),
    ['v2ListWalletBalances is answered: wrong-type balances[].balance (neither)'],
    /^the schema has a string at `balances\[\]\.balance`, the server sends a number$/
  ],
  [
    'null where a value belongs',
    onPath('POST', /predict/, ({ status, body }) => {
      if (status === 200) body.provider = null
    }),
    ['v2PredictProvider predicts: wrong-type provider (neither)'],
    /^the schema has a string at `provider`, the server sends null$/
  ],
  [
    'an object instead of a list',
    onPath('GET', /public-key/, (seen) => {
      if (seen.status === 200) seen.body = { keys: seen.body }
    }),
    ['v2ListPublicKeys is answered: wrong-type  (neither)'],
    /^the schema has an array as the answer, the server sends an object$/
  ],
  [
    'a page instead of JSON',
    onPath('GET', /public-key/, (seen) => {
      if (seen.status === 200) {
        Object.assign(seen, { text: '<html>', headers: { 'content-type': 'text/html' } })
      }
    }),
    ['v2ListPublicKeys is answered: not-json  (neither)'],
    /^the schema has JSON \(application\/json\), the server sends text\/html$/
  ],
  [
    'JSON that is cut off',
    onPath('GET', /public-key/, (seen) => {
      if (seen.status === 200) seen.text = '[{"id"'
    }),
    ['v2ListPublicKeys is answered: not-json  (neither)'],
    /invalid JSON$/
  ],
  [
    'a redirect',
    onPath('GET', /public-key/, (seen) => {
      if (seen.status === 200) {
        Object.assign(seen, {
          status: 302,
          headers: { location: 'https://login.example/?token=secret' }
        })
      }
    }),
    ['v2ListPublicKeys is answered: no-answer  (schema)'],
    /the server redirects \(302\) to https:\/\/login\.example$/
  ],
  [
    'an endless body',
    onPath('GET', /public-key/, (seen) => {
      if (seen.status === 200) seen.text = ' '.repeat(9 * 1024 * 1024)
    }),
    ['v2ListPublicKeys is answered: no-answer  (schema)'],
    /the answer is larger than 8 MiB$/
  ],
  [
    'a connection that is cut',
    onPath('GET', /public-key/, (seen, response) => {
      if (seen.status === 200) response.destroy()
    }),
    ['v2ListPublicKeys is answered: no-answer  (schema)'],
    /the connection was closed without an answer$/
  ]
]

t.test('a server that is wrong on purpose: exactly that is found', async (t) => {
  const mock = await mockOf(t)
  for (const [what, change, found, message] of wrongServers) {
    const checks = await check(await serveChanged(t, mock, change), mock.token)
    t.same(findings(checks), found, what)
    t.match(
      checks.flatMap(({ differences }) => differences.map(({ message }) => message)).join('\n'),
      message,
      what
    )
  }
})

t.test('two servers', async (t) => {
  const [first, second] = [await mockOf(t), await mockOf(t, { token: 'second-token' })]
  const changed = await serveChanged(t, second, (seen) => {
    if (seen.path === '/v2/public-key/http' && seen.status === 200) seen.body[0].algorithm = 'x'
    if (seen.path === '/v2/availability' && seen.status === 200) {
      seen.body[0].providers[0].operationTypes.DEPOSIT = 'UP'
    }
    if (seen.path === '/v2/predict-provider' && seen.status === 200) {
      seen.body.phoneNumber = Number(seen.body.phoneNumber)
    }
    const reason = seen.path === '/v2/payouts' ? seen.body.failureReason : undefined
    if (reason?.failureCode === 'MISSING_PARAMETER') reason.failureCode = 'INVALID_INPUT'
    if (seen.path.startsWith('/v2/refunds/') && seen.body.status === 'NOT_FOUND') seen.status = 404
  })
  const cwd = folder(t)
  const same = await runCommand(t, [
    'conform',
    first.url,
    second.url,
    '--second-token',
    'second-token'
  ])
  t.match(same, { code: 0, stderr: '' })
  t.match(same.stdout, `${first.url} and ${second.url}: `)
  const { code } = await runCommand(
    t,
    [
      'conform',
      first.url,
      changed,
      '--second-token',
      'second-token',
      '--api-version',
      'v2',
      '--json',
      'r.json'
    ],
    { cwd }
  )
  t.equal(code, 1)
  const { checks, mode }: { checks: Check[]; mode: string } = JSON.parse(
    readFileSync(join(cwd, 'r.json'), 'utf8')
  )
  t.equal(mode, 'comparison')
  t.same(
    checks.flatMap(({ operation, differences }) =>
      differences.map(({ message, more }) => `${operation}: ${message} (${more})`)
    ),
    [
      'v2InitiatePayout: the first server sends `MISSING_PARAMETER` in ' +
        '`failureReason.failureCode`, the second `INVALID_INPUT` (neither)',
      'v2FindRefund: the first server answers 200, the second 404 (neither)',
      'v2GetAvailability: only the second server sends `UP` in ' +
        '`[].providers[].operationTypes.*`, the schema has only OPERATIONAL, DELAYED, CLOSED ' +
        '(second)',
      'v2PredictProvider: the first server sends a string at `phoneNumber`, the second a ' +
        'number (neither)',
      'v2ListPublicKeys: the second server sends `[].algorithm`, the first does not (second)'
    ]
  )
})
