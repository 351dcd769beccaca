import t from 'tap'
import type { TSchema } from '@sinclair/typebox'
import { exampleFor } from '../../routes/http/hints.ts'
import { ConfigSchema } from '../../src/config/config.ts'
import { ScenarioSchema } from '../../src/domain/scenario-file.ts'
import { ConfigSchema as ExamSchema } from '../../src/exam/config.ts'
import { sampleOf } from '../../src/openapi/sample.ts'
import { build, type Mock } from '../support/helper.ts'

/**
 * A word in a request is a checked choice. Otherwise a typing error makes an expectation that
 * nothing can meet, or a setting that does nothing.
 */

/** A string of a request: where it stands, and its schema. */
interface Field {
  path: string
  schema: TSchema
}

/** Part of a request, or a file. */
interface Part {
  name: string
  schema: TSchema
}

/** Every part of every request that the server takes, and the files of a user. */
async function listParts ({ app, call }: Mock): Promise<Part[]> {
  await call('GET', '/__admin/scenarios')
  const parts = app.routeIndex.routes.flatMap(({ method, url, schema = {}, config }) => {
    const { documentation } = config ?? {}
    const written = typeof documentation === 'object' ? documentation.body : undefined
    const { params, querystring: query, body } = schema
    return Object.entries({ params, query, body: written ?? body }).flatMap(([part, schema]) =>
      schema === undefined
        ? []
        : [{ name: `${method} ${url} ${part}`, schema: schema as TSchema }]
    )
  })
  return [
    ...parts,
    { name: 'a scenario file', schema: ScenarioSchema },
    { name: 'momock.yaml', schema: ConfigSchema },
    { name: 'exam.yaml', schema: ExamSchema }
  ]
}

/** Words of a schema that takes some words only, or nothing. */
const wordsOf = ({ anyOf = [] }: TSchema): string[] =>
  anyOf.every((one: TSchema) => typeof one.const === 'string')
    ? anyOf.map((one: TSchema) => one.const)
    : []

/** Alternatives of a schema, with those of its alternatives. */
const alternatives = (schema: TSchema): TSchema[] =>
  schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(alternatives)

/** A value with another inside, and what is required around it. */
function surround (schema: TSchema, [key, ...keys]: string[], value: string): unknown {
  if (key === undefined) return value
  if (schema.type === 'array') {
    const { items, minItems = 1 } = schema
    return Array.from({ length: minItems }, () => surround(items, keys, value))
  }
  if (schema.type !== 'object') {
    const holder = alternatives(schema).find(({ type, items, properties }: TSchema) =>
      key === '0' ? type === 'array' && items !== undefined : key in (properties ?? {})
    )!
    return surround(holder, [key, ...keys], value)
  }
  const { properties, required = [] } = schema
  const rest = required.map((name: string) => [
    name,
    JSON.parse(exampleFor(properties[name]) ?? '"text"')
  ])
  return { ...Object.fromEntries(rest), [key]: surround(properties[key], keys, value) }
}

function listStrings (schema: TSchema, path: string): Field[] {
  const inner = (one: unknown, name?: string): Field[] =>
    typeof one === 'object' && one !== null
      ? listStrings(one as TSchema, name === undefined ? path : `${path}.${name}`)
      : []
  return [
    ...((schema.type === 'string' && !('const' in schema)) || wordsOf(schema).length > 0
      ? [{ path, schema }]
      : []),
    ...(schema.anyOf ?? []).flatMap((one: unknown) => inner(one)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => inner(one, name)),
    ...Object.values(schema.patternProperties ?? {}).flatMap((one) => inner(one, '*')),
    ...inner(schema.additionalProperties, '*'),
    ...inner(schema.items, '0')
  ]
}

/** Strings that may be anything, and why. */
const freeTexts: Array<[path: RegExp, why: string]> = [
  [
    /^POST (\/v[12])?\/[a-z-]+(\/\w+)? body.*(provider|correspondent|phoneNumber|value|msisdn)$/,
    'the rules of the API judge it, and answer with a code of the API'
  ],
  [/^POST .*(preAuthorisationCode|callbackUrl)$/, 'the rules of the API judge it'],
  [/^POST \/(checkout|pay)\/.* body\.(provider|phoneNumber)$/, 'the rules of the API judge it'],
  [/metadata(\.0)?\.(\*|fieldName|fieldValue)$/, 'the merchant names and fills the metadata'],
  [/[cC]lientReferenceId$/, 'a reference of the merchant'],
  [
    /remittances.*(firstName|lastName|transactionReference|addressLine|postalCode|city|occupation)$/,
    'about people'
  ],
  [/remittances.*identification\.number$/, 'about people'],
  [/(companyName|displayName(\.\w+)?|quickLink)$/, 'shown to customers'],
  [/channels\.0\.variables\.\*$/, 'shown to customers'],
  [/\.(description|comment|activityType)$/, 'a sentence for a reader'],
  [/expectations\.0\.name$/, 'a title in the report'],
  [/\.seed$/, 'any text'],
  [/(find|count) body\.(query|headers)\.\*$/, 'what the merchant sends there'],
  [/request\.(query|headers)\.\*$/, 'what the merchant sends there'],
  [/matcher\.(query|headers)\.\*$/, 'what the merchant sends there'],
  [/query\.(phoneNumber|search)$/, 'part of a number or a reference'],
  [/^GET \/__admin\/examples query\./, 'what does not fit is replaced by the nearest that does'],
  [
    /^POST \/__admin\/send body\.(phoneNumber|provider|amount|currency|depositId|scenario)$/,
    'the rules of the API judge it'
  ],
  [/^POST \/__admin\/listeners body\.ids\.0$/, 'identifiers of the merchant'],
  [/listeners\/:id\/answers body\.(headers\.\*(\.0)?|body|error)$/, 'what a handler answered'],
  [/ params\.(\*|statementId|file|group|name|action|checkoutCode|code|token)$/, 'unknown: 404'],
  [/ query\.(key|account)$/, 'unknown: refused'],
  [/^POST \/__admin\/scenarios\/check body\.text$/, 'the file that is checked'],
  [/^PUT \/__admin\/exam\/report body\./, 'written by momock exam'],
  [/signatures\/(explain|sign) body\.(url|headers\.\*|body|publicKey)$/, 'what is examined'],
  [/publicKeys\.0\.(id|key)$/, 'a key and the name that its owner gave it'],
  [/keys\.0\.privateKey$/, 'a key'],
  [/\.(host|db|scenarios|tlsDir|tlsHosts|tlsCert|tlsKey|callbacksAllow|callbacksCa)$/, 'a place'],
  [/^exam\.yaml\..*(adminToken|command|env\.\*|body|headers\.\*|form\.\*)$/, 'sent as it is'],
  [/^exam\.yaml\.(expect\.\*|hostsThatAreMine\.0)$/, 'a reason, and a host of the user']
]

/** Strings that are compared with what this server knows, so that no schema can. */
const namesOfServer: Array<[path: RegExp, refused: [method: string, path: string, body?: any]]> = [
  [
    /expectations\.0\.(inOrder\.0\.)?payment\.scenario$/,
    ['POST', '/verify', { expectations: [{ payment: { scenario: 'hapy-path' }, count: 0 }] }]
  ],
  [
    /matcher\.scenario$/,
    ['POST', '/wait/payment', { matcher: { scenario: 'test-numbr:PAYMENT_NOT_APPROVED' } }]
  ],
  [/^GET \/__admin\/payments.* query\.kind$/, ['GET', '/payments?kind=depositt']],
  [/^GET \/__admin\/callbacks query\.kind$/, ['GET', '/callbacks?kind=depositt']],
  [
    / params\.kind$/,
    ['GET', '/payments/depositt/0b5cbd82-5299-43ea-a0a4-e2f686bce85c']
  ],
  [
    /wait body\.kind$/,
    ['POST', '/wait', { kind: 'depositt', id: '0b5cbd82-5299-43ea-a0a4-e2f686bce85c' }]
  ],
  [/ params\.provider$/, ['PUT', '/providers/MTN_MOMO_ZMBB', { DEPOSIT: 'CLOSED' }]],
  [/ query\.groups$/, ['GET', '/coverage?groups=kind']],
  [/ query\.ignore$/, ['GET', '/lint?ignore=v1-paths']],
  [/ (query\.keep|body\.keep\.0)$/, ['POST', '/reset', { keep: ['clocks'] }]],
  [
    /script\.0\.failureCode$/,
    [
      'POST',
      '/scenarios',
      { name: 'x', script: [{ after: 0, to: 'FAILED', failureCode: 'PAYER_NOT_FOUNDD' }] }
    ]
  ],
  [
    /accounts?( body|\.0)\.providers\.0(\.provider)?$/,
    ['PATCH', '/account', { providers: ['MTN_MOMO_ZMBB'] }]
  ]
]

/** Strings of momock.yaml that are checked when it is read, in test/cli/config.test.ts. */
const namesOfFile = [
  /^momock\.yaml\.countries\..*testNumbers\.\w+\.\*$/,
  /^momock\.yaml\.fixtures\.0\.(account|payments\.0\.(failureCode|payer\.\w+))$/
]

t.test('each string of a request is checked, or stands in a list of free texts', async (t) => {
  const parts = await listParts(await build(t))
  const strings = parts.flatMap(({ name, schema }) => listStrings(schema, name))
  t.ok(strings.length > 600, `${strings.length} strings`)
  t.strictSame(
    strings.filter(({ schema }) => 'enum' in schema).map(({ path }) => path),
    [],
    'TypeBox does not validate enum: choice does'
  )
  const unchecked = strings
    .filter(({ schema }) => !['pattern', 'format', 'anyOf'].some((rule) => rule in schema))
    .map(({ path }) => path)
  const reasons = [...freeTexts, ...namesOfServer].map(([path]) => path).concat(namesOfFile)
  t.strictSame(
    unchecked.filter((path) => !reasons.some((reason) => reason.test(path))),
    [],
    'neither checked nor in the lists'
  )
  t.strictSame(
    reasons.filter((reason) => !unchecked.some((path) => reason.test(path))).map(String),
    [],
    'each row of the lists is needed'
  )
})

t.test('a misspelt name of the server is refused with the nearest', async (t) => {
  const { call } = await build(t)
  for (const [, [method, path, body]] of namesOfServer) {
    const { status, body: answer } = await call(method, `/__admin${path}`, body)
    const { message, hint } = answer.error ?? {}
    t.match(status, /^40[04]$/, `${method} ${path}`)
    t.match(`${message} ${hint}`, /did you mean '?[\w:-]+'?\?/, `${method} ${path}`)
  }
})

t.test('a misspelt word of a choice is refused with the nearest', async (t) => {
  const mock = await build(t)
  const parts = await listParts(mock)
  const bodies = new Map(
    parts.flatMap(({ name, schema }): Array<[string, TSchema]> =>
      name.endsWith(' body') ? [[name.slice(0, -' body'.length), schema]] : []
    )
  )
  let tried = 0
  for (const { name, schema } of parts) {
    const [method, url, part] = name.split(' ')
    if (!/^\/(?!__admin\/ui)/.test(url) || part === 'params') continue
    const isAdmin = url.startsWith('/__admin/')
    for (const { path, schema: choice } of listStrings(schema, '')) {
      const [word] = wordsOf(choice)
      if (word === undefined) continue
      const keys = path.split('.').slice(1)
      const wrong = surround(schema, keys, `${word}${word.at(-1)}`)
      const address = url
        .replace(/:(id|\w+Id)/g, '0b5cbd82-5299-43ea-a0a4-e2f686bce85c')
        .replace(':provider', 'MTN_MOMO_ZMB')
        .replace(':phoneNumber', '260763456789')
        .replace(':kind', 'deposit')
      const query = part === 'query' ? `?${new URLSearchParams(wrong as any).toString()}` : ''
      const written = bodies.get(`${method} ${url}`)
      const { status, body } = await mock.call(
        method,
        `${address}${query}`,
        part === 'body' ? wrong : written && sampleOf(written, 'words')
      )
      const title = `${name}${path}`
      const answer = body?.[0] ?? body
      // An answer to a list of payments has a result for each.
      if (Array.isArray(body)) t.equal(answer.status, 'REJECTED', title)
      else t.equal(status, 400, title)
      const message =
        answer.error?.message ?? answer.errorMessage ?? answer.failureReason.failureMessage
      t.match(message, keys.findLast((key) => !/^\d+$/.test(key)), title)
      if (isAdmin) t.match(answer.error.hint, `did you mean ${word}?`, title)
      else t.match(message, new RegExp(`\\b${word}\\b.*, got "${word}${word.at(-1)}"`), title)
      tried++
    }
  }
  t.ok(tried > 75, `${tried} words`)
})
