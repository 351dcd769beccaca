import { request as httpRequest } from 'node:http'
import t, { type Test } from 'tap'
import { loadScenarios } from '../../src/scenarios/scenario-files.ts'
import { folder } from '../support/helper.ts'
import { but, prefix, requests } from '../support/examples.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMomock } from '../support/momock.ts'

interface Outcome {
  status?: number
  body?: string
  /** The code of the error that ended it. */
  error?: string
  pieces: number
}

/**
 * A real server and a client on a real connection, which sees what a merchant's client would see.
 */
async function stage (t: Test) {
  const { url, close } = await createMomock()
  t.teardown(close)
  const headers = { authorization: 'Bearer test-token', 'content-type': 'application/json' }
  const post = (path: string, body: unknown): Promise<Outcome> =>
    new Promise((resolve) => {
      const outcome: Outcome = { pieces: 0, body: '' }
      const fail = (error: NodeJS.ErrnoException): void =>
        resolve({ ...outcome, error: error.code ?? error.message })
      const request = httpRequest(
        `${url}${path}`,
        { method: 'POST', headers, agent: false },
        (response) => {
          outcome.status = response.statusCode
          response.on('data', (chunk) => {
            outcome.pieces++
            outcome.body += chunk
          })
          response.on('end', () => resolve(outcome)).on('error', fail)
        }
      )
      request.on('error', fail).end(JSON.stringify(body))
    })
  const status = async (path: string, id: string): Promise<string> => {
    const answer: any = await (await fetch(`${url}${path}/${id}`, { headers })).json()
    return answer.data?.status ?? answer.status
  }
  const rule = async (body: object): Promise<void> => {
    t.equal(
      (
        await fetch(`${url}/__admin/scenarios`, {
          method: 'POST',
          headers,
          body: JSON.stringify(body)
        })
      ).status,
      201
    )
  }
  return { post, status, rule }
}

const number = 'payer.accountDetails.phoneNumber'

t.test('a fault changes the answer as documented', async (t) => {
  const { post, status, rule } = await stage(t)
  const rows: Array<[fault: string, stored: boolean, seen: (outcome: Outcome) => boolean]> = [
    ['reset', false, ({ error, status }) => error === 'ECONNRESET' && status === undefined],
    ['lost', true, ({ error, status }) => error === 'ECONNRESET' && status === undefined],
    [
      'truncated',
      true,
      ({ error, status, body }) =>
        error === 'ECONNRESET' && status === 200 && (body?.length ?? 0) > 0
    ],
    [
      'slow',
      true,
      ({ error, status, body, pieces }) =>
        error === undefined &&
        status === 200 &&
        pieces > 3 &&
        JSON.parse(body ?? '').status === 'ACCEPTED'
    ]
  ]
  for (const [fault, stored, seen] of rows) {
    await rule({ name: fault, fault, times: 1 })
    const body = but(requests.v2.deposit!(), number, '260763459993')
    const outcome = await post('/v2/deposits', body)
    t.ok(seen(outcome), `${fault}: ${JSON.stringify(outcome)}`)
    t.equal(
      (await status('/v2/deposits', body.depositId)) === 'NOT_FOUND',
      !stored,
      `${fault}: ${stored ? 'the payment exists' : 'nothing is stored'}`
    )
    t.match(
      JSON.parse((await post('/v2/deposits', body)).body ?? ''),
      { status: stored ? 'DUPLICATE_IGNORED' : 'ACCEPTED' },
      `${fault}: a retry`
    )
  }
})

t.test('an answer can have a latency', async (t) => {
  const { post, rule } = await stage(t)
  await rule({ name: 'late', latency: '150ms', times: 1 })
  const begun = performance.now()
  t.match(JSON.parse((await post('/v2/deposits', requests.v2.deposit!())).body ?? ''), {
    status: 'ACCEPTED'
  })
  t.ok(performance.now() - begun >= 145, 'no earlier')
  await rule({ name: 'late', latency: '100ms', http: { status: 503 }, times: 1 })
  t.equal((await post('/v2/deposits', requests.v2.deposit!())).status, 503)
  await rule({ name: 'bulk', fault: 'lost', times: 1, when: { kind: 'payout' } })
  t.equal(
    (await post('/v2/payouts/bulk', [requests.v2.payout!(), requests.v2.payout!()])).error,
    'ECONNRESET'
  )
})

t.test('an error has the format of its version', async (t) => {
  const { post, rule } = await stage(t)
  for (const version of ['v1', 'v2'] as const) {
    for (const code of [500, 503, 429]) {
      await rule({ name: 'error', http: { status: code }, times: 1 })
      const { status, body } = await post(
        `${prefix[version]}/deposits`,
        requests[version].deposit!()
      )
      t.equal(status, code)
      t.strictSame(
        Object.keys(JSON.parse(body ?? '')).sort(),
        version === 'v2' ? ['depositId', 'failureReason'] : ['errorCode', 'errorId', 'errorMessage']
      )
    }
  }
})

t.test('a wrong fault is refused', async (t) => {
  for (const [yaml, says] of [
    ['fault: gone', /reset, lost, truncated, slow/],
    ['fault: reset\nscript: []', /nothing is stored/],
    ['fault: lost\nreject: INVALID_AMOUNT', /accepted, not with reject/],
    ['latency: { from: 1s, to: 2s }', /needs a seed/],
    ['latency: a while', /duration/]
  ] as const) {
    const path = folder(t)
    writeFileSync(join(path, 'story.yaml'), yaml)
    t.match((await loadScenarios([path])).problems[0], says)
  }
})
