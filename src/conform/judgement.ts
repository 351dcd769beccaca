import { isObject } from '../lib/json.ts'
import type { Answer, Reply } from './caller.ts'
import type { Contract, Version, Operation, Schema } from './contract.ts'
import { compareWithSchema, type Difference } from './differences.ts'
import { showMediaType, showValue } from './redaction.ts'

/** Judgement of one answer: it must match its schema and the expected answer of the request. */

/** Expected answer of a request. Absent fields are not checked. */
export interface Expected {
  status: number
  /** Field `status` of the body, such as ACCEPTED or NOT_FOUND. */
  outcome?: string
  /** failureCode, rejectionCode or errorCode. */
  code?: string | number
}

/** Request of a suite or a recording, with the data that its judgement needs. */
export interface Question {
  operation: Operation
  name: string
  /** Correct answers. If the list is empty, every answer that matches its schema is correct. */
  expected: readonly Expected[]
  /** Whether the request was sent with the given token. */
  hasToken: boolean
  /** Status that the record must reach. */
  final?: string
}

export interface Check {
  operation: string
  version: Version
  method: string
  path: string
  name: string
  outcome: 'passed' | 'failed' | 'skipped'
  /** HTTP status of the answer. */
  status?: number
  /** Reason why the check was skipped. */
  reason?: string
  differences: Difference[]
}

/** Judges a reply. */
export function judgeReply (question: Question, reply: Reply, contract: Contract): Check {
  if ('problem' in reply) {
    return buildCheck(question, [
      {
        kind: 'no-answer',
        field: '',
        more: 'schema',
        message: `the schema has an answer, the server sends none: ${reply.problem}`
      }
    ])
  }
  const { answer } = reply
  const { status } = answer
  const schema = question.operation.responses.get(status)
  if (!question.operation.responses.has(status)) {
    return { ...buildCheck(question, [unknownStatus(question, status)]), status }
  }
  const inSchema = compareAnswer(answer, schema, contract)
  const reason = question.hasToken ? findSkipReason(question, answer) : undefined
  if (reason !== undefined && !question.expected.some((expected) => expected.status === status)) {
    const check = buildCheck(question, inSchema)
    return inSchema.length > 0
      ? { ...check, status }
      : { ...check, outcome: 'skipped', reason, status }
  }
  // A wrong code is also an unknown code of the schema. It is reported once.
  const unexpected =
    inSchema.length > 0 ? unexpectedStatus(question, status) : compareExpected(question, answer)
  return { ...buildCheck(question, [...inSchema, ...unexpected]), status }
}

/** Builds a check from its differences. */
export function buildCheck (
  { operation, name }: Pick<Question, 'operation' | 'name'>,
  differences: Difference[]
): Check {
  const { id, version, method, path } = operation
  return {
    operation: id,
    version,
    method,
    path,
    name,
    outcome: differences.length === 0 ? 'passed' : 'failed',
    differences
  }
}

function compareAnswer (
  answer: Answer,
  schema: Schema | undefined,
  contract: Contract
): Difference[] {
  if (schema === undefined) return []
  if (!answer.isJson) {
    const isCut = answer.contentType.includes('json')
    const sent = isCut ? 'invalid JSON' : showMediaType(answer.contentType)
    const message = `the schema has JSON (application/json), the server sends ${sent}`
    return [{ kind: 'not-json', field: '', more: 'neither', message }]
  }
  return compareWithSchema(answer.body, schema, contract.resolve)
}

function unknownStatus ({ operation, expected }: Question, status: number): Difference {
  const known = [...operation.responses.keys()].join(', ')
  const wanted =
    expected.length === 0 ? '' : `; expected ${expected.map(describeExpected).join(' or ')}`
  return {
    kind: 'unknown-status',
    field: '',
    more: 'server',
    message: `the server answers ${status}, the schema has only ${known}${wanted}`
  }
}

function unexpectedStatus ({ expected }: Question, status: number): Difference[] {
  if (expected.length === 0 || expected.some((one) => one.status === status)) return []
  return [
    {
      kind: 'other-status',
      field: '',
      more: 'neither',
      message:
        `expected ${expected.map(describeExpected).join(' or ')}, the server answers ` + `${status}`
    }
  ]
}

function compareExpected (question: Question, { status, body }: Answer): Difference[] {
  const { expected } = question
  const [code, outcome] = [readCode(body), readOutcome(body)]
  const { final } = question
  const reached = readRecordStatus(body)
  if (final !== undefined && status === 200 && reached !== undefined && reached !== final) {
    return [
      {
        kind: 'other-outcome',
        field: 'status',
        more: 'neither',
        message: `expected the status ${final}, the server sends ${quoteValue(reached)}`
      }
    ]
  }
  const isRight = (one: Expected): boolean =>
    one.status === status &&
    (one.code === undefined || one.code === code) &&
    (one.outcome === undefined || one.outcome === outcome)
  if (expected.length === 0 || expected.some(isRight)) return []
  const other = unexpectedStatus(question, status)
  if (other.length > 0) return other
  const wanted = expected.map(describeExpected).join(' or ')
  const kind = expected.some((one) => one.outcome !== undefined && one.outcome !== outcome)
    ? 'other-outcome'
    : 'other-code'
  const got = kind === 'other-outcome' ? outcome : code
  return [
    {
      kind,
      field: kind === 'other-outcome' ? 'status' : 'code',
      more: 'neither',
      message:
        `expected ${wanted}, the server sends ` + (got === undefined ? 'no code' : quoteValue(got))
    }
  ]
}

function describeExpected ({ status, outcome, code }: Expected): string {
  return [
    status,
    outcome,
    code === undefined ? undefined : typeof code === 'number' ? `errorCode ${code}` : code
  ]
    .filter((part) => part !== undefined)
    .join(' ')
}

function quoteValue (value: unknown): string {
  return `\`${showValue(value)}\``
}

/** Returns why a check is skipped: the token or the account has no permission. */
function findSkipReason ({ operation }: Question, { status, body }: Answer): string | undefined {
  const code = readCode(body)
  if (status === 403) {
    if (code === 3 || code === 'AUTHORISATION_ERROR') return 'the token has no permission'
    const isOff = typeof code === 'string' && code.endsWith('_NOT_ALLOWED')
    return isOff ? `the account has no permission (${showValue(code)})` : undefined
  }
  // v1 has one number for a wrong token and a wrong signature. The token was valid for a read.
  const isOldCode = code === 2 && /Initiate/.test(operation.id)
  const isUnsigned = code === 'HTTP_SIGNATURE_ERROR' || isOldCode
  return status === 401 && isUnsigned ? 'the account accepts only signed requests' : undefined
}

/** Reads the code of a refusal of v1 or v2. */
export function readCode (body: unknown): string | number | undefined {
  if (!isObject(body)) return undefined
  const { failureReason, rejectionReason, errorCode } = body
  const code = isObject(failureReason)
    ? failureReason.failureCode
    : isObject(rejectionReason)
      ? rejectionReason.rejectionCode
      : errorCode
  return typeof code === 'string' || typeof code === 'number' ? code : undefined
}

/** Reads the status of the found record: in `data` in v2, in a list in v1. */
export function readRecordStatus (body: unknown): unknown {
  const record = Array.isArray(body) ? body[0] : isObject(body) ? body.data : undefined
  return isObject(record) ? record.status : undefined
}

function readOutcome (body: unknown): unknown {
  return isObject(body) ? body.status : undefined
}
