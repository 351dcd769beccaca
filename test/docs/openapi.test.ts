import { createRequire } from 'node:module'
import t from 'tap'
import { rejections } from '../../src/domain/rejections.ts'
import { describeRoutes } from '../../routes/reference/document.ts'
import { resolveReference, type Schema } from '../../src/openapi/schema.ts'
import { v1 } from '../../src/wire/v1/wire.ts'
import { v2 } from '../../src/wire/v2/wire.ts'
import { contract } from '../support/contract.ts'
import { isFull, long } from '../support/full.ts'
import { prefix, requests } from '../support/examples.ts'
import { build, id, receiver, until, type Mock } from '../support/helper.ts'

const wires = [v1, v2]
const loaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) =>
    path.includes('@fastify/swagger/')
  )

interface Operation extends Record<string, any> {
  method: string
  path: string
}

async function documentOf ({ app }: Mock): Promise<any> {
  return (await app.http.inject('/__admin/openapi.json')).json()
}

function operationsOf (document: any): Operation[] {
  return Object.entries<any>(document.paths).flatMap(([path, item]) =>
    Object.entries<any>(item).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path
    }))
  )
}

t.test('the document generator is loaded by the first call', async (t) => {
  const mock = await build(t)
  t.equal(loaded(), false)
  t.equal((await mock.call('GET', '/__admin/openapi.json')).body.openapi, '3.1.0')
  t.equal(loaded(), true)
})

/** Rules that are switched off, where, and why. */
const exceptions: Array<[rule: string, pointer: RegExp, why: string]> = [
  [
    'operation-4xx-response',
    /^#\/paths\/~1(health|ready|__admin~1(health|ready|openapi\.json|docs))\/get/,
    'they take nothing and answer anybody: there is nothing to refuse'
  ]
]

t.test('the document passes a strict linter', long, async (t) => {
  const { createConfig, lintFromString } = await import('@redocly/openapi-core')
  const mock = await build(t)
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: {
      'operation-tag-defined': 'error',
      'parameter-description': 'error',
      'operation-singular-tag': 'error'
    }
  })
  const source = JSON.stringify(await documentOf(mock))
  const problems = (await lintFromString({ source, absoluteRef: '/openapi.json', config }))
    .map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0].pointer ?? '' }))
    .filter(
      ({ ruleId, at }) => !exceptions.some(([rule, pointer]) => rule === ruleId && pointer.test(at))
    )
  t.strictSame(problems, [])
})

t.test('every operation has a summary, its permission and its refusals', async (t) => {
  const document = await documentOf(await build(t))
  for (const {
    operationId,
    tags: [tag],
    security,
    path,
    method,
    responses
  } of operationsOf(document)) {
    const version = ['admin', 'customer'].includes(tag) ? '' : path.startsWith('/v2/') ? 'v2' : 'v1'
    t.ok(operationId.startsWith(version) && tag.startsWith(version), operationId)
    if (version === '') continue
    const refused = [
      '400',
      ...(security.length > 0 ? ['401', '403'] : []),
      ...(method === 'POST' ? ['413'] : []),
      '500',
      '503'
    ]
    t.strictSame(
      refused.filter((status) => !(status in responses)),
      [],
      `${operationId} refuses`
    )
  }
  const callbacks = wires.flatMap(({ version, codecs }) =>
    Object.keys(codecs).map((name) => `${version}${name[0].toUpperCase()}${name.slice(1)}Callback`)
  )
  t.strictSame(
    callbacks.filter((name) => !(name in document.webhooks)),
    [],
    'every kind has its callback in every version'
  )
  t.notMatch(JSON.stringify(document), /http-url|"\$id"|"patternProperties"|Default Response/)
})

t.test('an operation lists only the errors that it can answer', async (t) => {
  const document = await documentOf(await build(t))
  const statuses = new Map(
    operationsOf(document).map(({ operationId, responses }) => [
      operationId,
      Object.keys(responses).filter((status) => Number(status) >= 400)
    ])
  )
  for (const [operationId, wanted] of [
    ['getClock', ['401', '403', '500', '503']],
    ['setClock', ['400', '401', '403', '413', '500', '503']],
    ['deleteAccount', ['400', '401', '403', '404', '409', '413', '500', '503']],
    ['wait', ['400', '401', '403', '404', '408', '409', '413', '500', '503']],
    ['showPaymentPage', ['400', '404', '410', '500', '503']],
    ['followCheckout', ['400', '404', '500', '503']],
    ['v2FindDeposit', ['400', '401', '403', '429', '500', '503']],
    ['v1FindRefund', ['400', '401', '403', '429', '500', '503']],
    ['v2FindStatement', ['400', '401', '403', '500', '503']],
    ['v2InitiateSplitPayment', ['400', '401', '403', '413', '500', '503']],
    ['v2InitiateCheckout', ['400', '401', '403', '413', '500', '503']],
    ['v2InitiateDeposit', ['400', '401', '403', '413', '429', '500', '503']]
  ] as const) {
    t.strictSame(statuses.get(operationId), wanted, operationId)
  }
})

t.test('fields with a fixed set of words have an enum', async (t) => {
  const document = await documentOf(await build(t))
  const wordsIn = (operationId: string, path: string[]): string[] | undefined => {
    const operation = operationsOf(document).find((one) => one.operationId === operationId)
    const start = operation?.responses['200'].content['application/json'].schema
    const found = path.reduce<Schema>((schema, key) => {
      const here = resolveReference(document, schema)
      if (key === '[]') return here.items
      return key === '*' ? here.additionalProperties : here.properties[key]
    }, start)
    return resolveReference(document, found).enum
  }
  const availabilities = ['OPERATIONAL', 'DELAYED', 'CLOSED']
  const configuration = ['countries', '[]', 'providers', '[]', 'currencies', '[]']
  const operationType = [...configuration, 'operationTypes', '*']
  for (const [operationId, path, wanted] of [
    ['v2FindCheckout', ['data', 'status'], /WAITING_PAYMENT.*EXPIRED/],
    ['v2ExpireCheckout', ['status'], /WAITING_PAYMENT.*EXPIRED/],
    ['v2RequestStatement', ['status'], /^ACCEPTED$/],
    ['v2FindStatement', ['data', 'status'], /^PROCESSING,COMPLETED,FAILED$/],
    [
      'v1GetAvailability',
      ['[]', 'correspondents', '[]', 'operationTypes', '[]', 'status'],
      new RegExp(`^${availabilities.join()}$`)
    ],
    [
      'v2GetActiveConfiguration',
      [...operationType, 'status'],
      new RegExp(`^${availabilities.join()}$`)
    ],
    ['v2GetActiveConfiguration', [...operationType, 'authType'], /PREAUTH/]
  ] as Array<[string, string[], RegExp]>) {
    t.match(String(wordsIn(operationId, path)), wanted, `${operationId} ${path.join('.')}`)
  }
})

t.test('a route without documentation is an error', async (t) => {
  const route = { method: 'GET', url: '/v2/new' }
  await t.rejects(
    describeRoutes({ wires, version: '1', routes: [route] }),
    /GET \/v2\/new is not documented/
  )
  const { paths } = await describeRoutes({
    wires,
    version: '1',
    routes: [{ ...route, config: { documentation: 'hidden' } }]
  })
  t.strictSame(paths, {})
})

t.test('an answer that differs from the document is found', async (t) => {
  const { answer, callback } = contract(await documentOf(await build(t)))
  const json = 'application/json; charset=utf-8'
  const depositId = id()
  const good = {
    depositId,
    status: 'ACCEPTED',
    nextStep: 'FINAL_STATUS',
    created: '2026-01-31T12:00:00Z'
  }
  const rows: Array<[path: string, status: number, body: unknown, problem: RegExp | undefined]> = [
    ['/v2/deposits', 200, good, undefined],
    ['/v2/deposits/', 200, good, undefined],
    ['/v2/deposits', 200, { ...good, status: 'SUBMITTED' }, /status must be equal/],
    ['/v2/deposits', 200, { ...good, created: 'yesterday' }, /created must match format/],
    ['/v2/deposits', 200, { ...good, more: 1 }, /additional/],
    ['/v2/deposits', 200, { depositId }, /required property 'status'/],
    ['/v2/deposits', 202, good, /status 202 is not documented/],
    ['/v2/deposits', 400, good, /failureReason/],
    [
      '/v2/deposits',
      401,
      {
        depositId,
        status: 'REJECTED',
        failureReason: { failureCode: 'INVALID_INPUT', failureMessage: 'x' }
      },
      /failureCode must be equal/
    ],
    [
      '/v2/deposits',
      500,
      {
        depositId,
        status: 'REJECTED',
        failureReason: { failureCode: 'UNKNOWN_ERROR', failureMessage: 'x' }
      },
      /additional/
    ],
    ['/deposits', 401, { errorId: id(), errorCode: 2, errorMessage: 'x' }, undefined],
    [
      '/deposits',
      401,
      { errorId: id(), errorCode: 3, errorMessage: 'x' },
      /errorCode must be equal/
    ],
    ['/v2/nothing', 200, {}, /is not documented/],
    ['/v2/nothing', 404, { status: 'REJECTED', failureReason: {} }, undefined]
  ]
  for (const [path, status, body, problem] of rows) {
    const found = answer('POST', path, status, json, body)
    if (problem === undefined) t.equal(found, undefined, path)
    else t.match(found, problem)
  }
  t.match(answer('POST', '/v2/deposits', 200, 'text/plain', good), /content type/)
  t.match(callback({ depositId, status: 'COMPLETED' }), /no webhook/)
})

t.test('the examples of the document work', async (t) => {
  const { url } = await receiver(t)
  const mock = await build(t, { callbackUrl: url })
  const document = await documentOf(mock)
  const send = async ({ method, path, parameters = [], requestBody }: Operation) => {
    const url = parameters.reduce(
      (url: string, { name, example }: any) => url.replace(`{${name}}`, example),
      path
    )
    return await mock.call(method, url, requestBody?.content['application/json'].example)
  }
  const operations = operationsOf(document)
  const named = (name: string): Operation =>
    operations.find(({ operationId }) => operationId === name)!
  for (const version of ['v1', 'v2']) {
    await send(named(`${version}InitiateDeposit`))
    await until(
      async () => (await send(named(`${version}FindDeposit`))).body,
      (body) => (body[0] ?? body.data).status === 'COMPLETED'
    )
  }
  // What is made comes before what is done to it, what a tester changes comes last, and a reset
  // after everything.
  const rank = ({ operationId, tags }: Operation): number =>
    operationId.includes('Initiate')
      ? 0
      : tags[0] !== 'admin'
        ? 1
        : operationId.startsWith('delete')
          ? 3
          : operationId === 'resetAccount'
            ? 4
            : 2
  // What a customer does needs a link that only the server can make; checkouts.test.ts and
  // payment-page.test.ts follow them.
  // A move needs a payment that is not final (admin/payments.test.ts), a retry one that was set
  // aside, a listener the identifier of its answer (cli/listen.test.ts), a certificate needs TLS
  // (tls/listener.test.ts), an import a file (admin/snapshot-files.test.ts), and a stream of events
  // does not end (pages/pages.test.ts).
  const isTried = ({ tags, operationId, responses }: Operation): boolean =>
    tags[0] !== 'customer' &&
    ![
      'movePayment',
      'retrySetAside',
      'removeListener',
      'reportAnswer',
      'getCertificateAuthority',
      'importSnapshot'
    ].includes(operationId) &&
    !('text/event-stream' in (responses[200]?.content ?? {}))
  // The calls of the admin API take long.
  const isShort = (operation: Operation): boolean => rank(operation) < 2
  const tried = operations.filter((one) => isTried(one) && (isFull || isShort(one)))
  for (const operation of tried.sort((a, b) => rank(a) - rank(b))) {
    const { status, body } = await send(operation)
    t.ok(status >= 200 && status < 300, `${operation.operationId} ${status}`)
    if (!operation.operationId.includes('Initiate')) continue
    for (const element of [body].flat()) {
      t.match(
        element.status,
        /^(ACCEPTED|DUPLICATE_IGNORED)$/,
        `${operation.operationId} ${JSON.stringify(element)}`
      )
    }
  }
})

/** Opens a page of the reference as a browser does. */
const openPage = (mock: Mock, url: string, host = '127.0.0.1:7070') =>
  mock.app.http.inject({ url, headers: { accept: 'text/html', host } })

t.test(
  'the pages of the reference show every operation and load only their own files',
  async (t) => {
    const mock = await build(t)
    const document = await documentOf(mock)
    const first = await openPage(mock, '/__admin/docs')
    t.match(first, {
      statusCode: 200,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': /^default-src 'none'; style-src 'self'; script-src 'self';/,
        'x-content-type-options': 'nosniff'
      }
    })
    t.match(first.body, 'with the token <code>test-token</code>')
    const links = [...first.body.matchAll(/href="(\/__admin\/docs\/[\w-]+)#(\w+)"/g)]
    const names = [...new Set(links.map(([, page]) => page))]
    const pages = new Map<string, string>()
    for (const page of names) {
      const { statusCode, body } = await openPage(mock, page)
      t.equal(statusCode, 200, page)
      t.ok(Buffer.byteLength(body) < 400_000, `${page} is small`)
      t.notMatch(body, /\sstyle=|\son\w+=|<style|<script>|url\(|undefined|\[object/, page)
      pages.set(page, body)
    }
    const pageOf = new Map(links.map(([, page, operation]) => [operation, page]))
    for (const { operationId, path, responses } of operationsOf(document)) {
      const body = pages.get(pageOf.get(operationId) ?? '') ?? ''
      const [, article = ''] =
        new RegExp(`<article id="${operationId}">([\\s\\S]*?)</article>`).exec(body) ?? []
      t.ok(article.includes(`<code>${path}</code>`), operationId)
      for (const status of Object.keys(responses)) {
        t.ok(article.includes(`<b>${status}</b>`), `${operationId} ${status}`)
      }
    }
    for (const name of Object.keys(document.webhooks)) {
      t.ok(pages.get(pageOf.get(name) ?? '')?.includes(`<article id="${name}">`), name)
    }
    const deposits = pages.get('/__admin/docs/v2-deposits') ?? ''
    t.ok(
      deposits.includes(
        '<td><code>payer.accountDetails.provider</code></td><td>string</td><td>yes</td><td>the ' +
          'code of a provider, such as MTN_MOMO_ZMB</td>'
      )
    )
    t.match(deposits, /<b>400<\/b>[\s\S]{0,200}<code>\{[\s\S]{0,200}failureCode/)
    const missing = await openPage(mock, '/__admin/docs/nothing')
    t.equal(missing.statusCode, 404)
    t.match(JSON.parse(missing.body), { error: { code: 'NOT_FOUND', message: /'nothing'/ } })
    t.match((await mock.call('GET', '/__admin/requests')).body, { meta: { total: 0 } })
  }
)

t.test('the reference shows no secrets and nothing of a hostile host', long, async (t) => {
  const mock = await build(t)
  const page = '/__admin/docs/v2-deposits'
  t.match((await openPage(mock, page, 'mock.test:7070')).body, 'http://mock.test:7070/v2/deposits')
  t.notMatch((await openPage(mock, page, "x'$(id)'<b>")).body, /\$\(id\)/)
  const guarded = await build(t, { adminToken: 'secret', token: 'also-secret' })
  for (const path of ['/__admin/docs', '/__admin/docs/admin-clock']) {
    t.notMatch((await openPage(guarded, path)).body, /secret/, 'everybody can open it')
  }
  t.match(
    (await openPage(guarded, '/__admin/docs/admin-clock')).body,
    /X-Momock-Admin-Token: YOUR_ADMIN_TOKEN/
  )
})

t.test('answers of scenarios are documented', async (t) => {
  const mock = await build(t)
  for (const effect of [
    ...rejections.map((reject) => ({ reject })),
    ...[429, 500, 503].map((status) => ({ http: { status } }))
  ]) {
    await mock.call('POST', '/__admin/scenarios', {
      name: 'deed',
      when: { kind: 'deposit' },
      ...effect
    })
    for (const version of ['v1', 'v2'] as const) {
      const { status } = await mock.call(
        'POST',
        `${prefix[version]}/deposits`,
        requests[version].deposit!()
      )
      // What is not allowed, or not well formed, is an error of the whole request in the current
      // version.
      if ('http' in effect) t.equal(status, effect.http.status)
      else {
        t.ok(
          (version === 'v2' ? [200, 400, 403] : [200]).includes(status),
          `${effect.reject} is ${status}`
        )
      }
    }
  }
})
