import { hash } from 'node:crypto'
import type { Contract, Version, Operation } from './contract.ts'
import { isObject } from '../lib/json.ts'
import type { Expected } from './judgement.ts'

/** Requests that change nothing: reads, unknown identifiers, and bodies that must be refused. */

export interface Probe {
  operation: Operation
  name: string
  token: 'given' | 'none' | 'unknown'
  /** Values of path parameters. Missing ones are taken from earlier answers. */
  parameters: Record<string, string>
  query?: string
  /** Body as text. */
  body?: string
  expected: readonly Expected[]
  /** Label of the payment. */
  label?: string
  /** Label of a payment that must be accepted before. */
  after?: string
  /** Status of the record to wait for. The request is repeated until then. */
  final?: string
}

/** Function that returns a new identifier. */
export type NewId = () => string

/** Creates identifiers from a seed, so that a run can be repeated. */
export function seedIds (seed: string): NewId {
  let count = 0
  return () => {
    const hex = hash('sha256', `${seed}\n${++count}`, 'hex')
    const [first, second] = [hex.slice(0, 8), hex.slice(8, 12)]
    return `${first}-${second}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }
}

type Refusal = 'unauthenticated' | 'unreadable' | 'missing' | 'invalid' | 'unsupported'

const refusals: Record<Version, Record<Refusal, Expected>> = {
  v1: {
    unauthenticated: { status: 401, code: 2 },
    unreadable: { status: 400, code: 1 },
    missing: { status: 400, code: 1 },
    invalid: { status: 400, code: 1 },
    unsupported: { status: 400, code: 1 }
  },
  v2: {
    unauthenticated: { status: 401, code: 'AUTHENTICATION_ERROR' },
    unreadable: { status: 400, code: 'INVALID_INPUT' },
    missing: { status: 400, code: 'MISSING_PARAMETER' },
    invalid: { status: 400, code: 'INVALID_PARAMETER' },
    unsupported: { status: 400, code: 'UNSUPPORTED_PARAMETER' }
  }
}

interface Row {
  name: string
  suits: (operation: Operation) => boolean
  token?: Probe['token']
  parameter?: 'malformed'
  query?: string
  body?: (operation: Operation, newId: NewId) => unknown
  expected: (operation: Operation) => Expected[]
}

const refusedAs =
  (...names: Refusal[]) =>
    ({ version }: Operation): Expected[] =>
      names.map((name) => refusals[version][name])
const answered = (): Expected[] => [{ status: 200 }]

const isGet = ({ method }: Operation): boolean => method === 'GET'
const hasId = ({ pathParameters }: Operation): boolean =>
  pathParameters.some(({ name }) => name.endsWith('Id'))
const isAction = ({ path }: Operation): boolean =>
  /\/(resend-callback|fail-enqueued|expire)\b/.test(path)
const isPrediction = ({ path }: Operation): boolean => path.includes('/predict-')
const takesObject = ({ bodyExample }: Operation): boolean => isObject(bodyExample)
const takesList = ({ bodyExample }: Operation): boolean => Array.isArray(bodyExample)
const needsToken = (operation: Operation): boolean => operation.needsToken
const hasFilter = ({ path }: Operation): boolean => /^\/v2\/(active-conf|availability)$/.test(path)

/** Builds a body with an unknown field. Other fields are invalid too, so it cannot be accepted. */
function unknownField ({ bodyExample }: Operation): unknown {
  return { noSuchField: 'conform', ...Object(breakFields(bodyExample)) }
}

const rows: readonly Row[] = [
  {
    name: 'is answered',
    suits: (operation) => isGet(operation) && !hasId(operation),
    expected: answered
  },
  {
    name: 'is answered with filters',
    suits: hasFilter,
    query: '?country=ZMB&operationType=DEPOSIT',
    expected: answered
  },
  {
    name: 'predicts',
    suits: isPrediction,
    body: ({ bodyExample }) => bodyExample,
    expected: answered
  },
  {
    name: 'does not find an unknown identifier',
    suits: (operation) => isGet(operation) && hasId(operation),
    expected: notFound
  },
  {
    name: 'refuses an unknown identifier',
    suits: isAction,
    body: unknownId,
    expected: refusesAction
  },
  {
    name: 'refuses an identifier that is not a UUID',
    suits: hasId,
    parameter: 'malformed',
    expected: refusedAs('invalid')
  },
  {
    name: 'refuses a missing token',
    suits: needsToken,
    token: 'none',
    body: emptyBody,
    expected: refusedAs('unauthenticated')
  },
  {
    name: 'refuses an unknown token',
    suits: needsToken,
    token: 'unknown',
    body: emptyBody,
    expected: refusedAs('unauthenticated')
  },
  {
    name: 'refuses a body that is not JSON',
    suits: (operation) => takesObject(operation) || takesList(operation),
    body: () => '{"',
    expected: refusedAs('unreadable')
  },
  {
    name: 'refuses a body without fields',
    suits: takesObject,
    body: () => ({}),
    expected: refusedAs('missing')
  },
  {
    name: 'refuses an empty list',
    suits: takesList,
    body: () => [],
    expected: refusedAs('invalid')
  },
  {
    name: 'refuses fields that break their rules',
    suits: takesObject,
    body: ({ bodyExample }) => breakFields(bodyExample),
    expected: refusedAs('invalid')
  },
  {
    name: 'refuses a field that does not exist',
    suits: (operation) => takesObject(operation) && operation.version === 'v2',
    body: unknownField,
    // The order of the two checks is not documented.
    expected: refusedAs('unsupported', 'invalid')
  }
]

/** Lists every request of the suite that changes nothing. */
export function safeProbes ({ operations }: Contract, newId: NewId): Probe[] {
  return operations.flatMap((operation) =>
    rows.filter(({ suits }) => suits(operation)).map((row) => probeOf(row, operation, newId))
  )
}

function probeOf (
  { name, token = 'given', parameter, query, body, expected }: Row,
  operation: Operation,
  newId: NewId
): Probe {
  const valueOf = (parameterName: string, example: string): string =>
    !parameterName.endsWith('Id') ? example : parameter === 'malformed' ? 'not-a-uuid' : newId()
  const content = operation.method === 'GET' ? undefined : body?.(operation, newId)
  return {
    operation,
    name,
    token,
    parameters: Object.fromEntries(
      operation.pathParameters.map((one) => [one.name, valueOf(one.name, one.example)])
    ),
    ...(query !== undefined && { query }),
    ...(content !== undefined && {
      body: typeof content === 'string' ? content : JSON.stringify(content)
    }),
    expected: expected(operation)
  }
}

function notFound ({ version }: Operation): Expected[] {
  return [{ status: 200, ...(version === 'v2' && { outcome: 'NOT_FOUND' }) }]
}

function refusesAction ({ version, path }: Operation): Expected[] {
  const status = path.endsWith('/expire') ? 404 : 200
  return [{ status, outcome: 'REJECTED', ...(version === 'v2' && { code: 'NOT_FOUND' }) }]
}

/** Builds the body of a v1 resend. Other actions have the identifier in the path. */
function unknownId ({ bodyExample }: Operation, newId: NewId): unknown {
  return isObject(bodyExample)
    ? Object.fromEntries(Object.keys(bodyExample).map((name) => [name, newId()]))
    : undefined
}

function emptyBody ({ bodyExample }: Operation): unknown {
  return bodyExample === undefined ? undefined : Array.isArray(bodyExample) ? [] : {}
}

const breakable = /Id$|^(amount|phoneNumber|msisdn|startDate|returnUrl|value)$/

/** Makes identifiers, amounts and phone numbers invalid, so that no server makes a payment. */
function breakFields (value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => breakFields(item))
  if (isObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, breakFields(inner, key)])
    )
  }
  return breakable.test(name) ? 'not-valid' : value
}
