import type { Contract } from './contract.ts'
import { isObject } from '../lib/json.ts'
import { readCode } from './judgement.ts'
import { fillExample } from './payment-probes.ts'
import type { NewId, Probe } from './probes.ts'
import { showMediaType, showValue } from './redaction.ts'
import type { NotSent } from './run.ts'
import type { Reply } from './caller.ts'
import type { SandboxProvider } from './sandbox-providers.ts'

/**
 * Requests whose answer the public record does not tell. Only --write sends them. Their answers are
 * no differences: the report says what the server did, so that somebody with a token can settle
 * the question.
 */

type Body = Record<string, unknown>

interface Row {
  question: string
  /** operationId of the request. */
  operation: string
  /** Path, if it is not that of the operation. */
  path?: string
  change: (body: Body) => Body
  /** Needs a provider without decimals. */
  isWhole?: true
}

const rows: readonly Row[] = [
  {
    question: 'is /v1/deposits an alias of /deposits?',
    operation: 'v1InitiateDeposit',
    path: '/v1/deposits',
    change: (body) => body
  },
  {
    question: 'may a v1 phone number be a JSON number?',
    operation: 'v1InitiateDeposit',
    change: (body) => {
      const payer = body.payer as { type: string; address: { value: string } }
      return { ...body, payer: { ...payer, address: { value: Number(payer.address.value) } } }
    }
  },
  {
    question: 'may customerTimestamp have no zone?',
    operation: 'v1InitiateDeposit',
    change: (body) => ({
      ...body,
      customerTimestamp: String(body.customerTimestamp).replace(/(Z|[+-]\d\d:\d\d)$/, '')
    })
  },
  {
    question: 'may a provider without redirect get successfulUrl and failedUrl?',
    operation: 'v2InitiateDeposit',
    change: (body) => ({
      ...body,
      successfulUrl: 'https://shop.invalid/paid',
      failedUrl: 'https://shop.invalid/failed'
    })
  },
  {
    question: 'may an amount have the decimals .00 where the provider takes none?',
    operation: 'v2InitiateDeposit',
    change: (body) => ({ ...body, amount: `${String(body.amount)}.00` }),
    isWhole: true
  },
  {
    question: 'may returnUrl have the host localhost?',
    operation: 'v2OpenPaymentPage',
    change: (body) => ({ ...body, returnUrl: 'http://localhost:3000/back' })
  }
]

/** An open question, and what each server did. */
export interface OpenQuestion {
  question: string
  method: string
  path: string
  answers: string[]
}

/** A request of an open question; without a probe, the reason why it cannot be sent. */
export interface AskedQuestion {
  question: string
  method: string
  path: string
  probe?: Probe
}

/** Lists the open questions about the operations of a contract. */
export function listQuestions (
  { operations }: Contract,
  provider: SandboxProvider,
  whole: SandboxProvider | undefined,
  newId: NewId
): AskedQuestion[] {
  return rows.flatMap(({ question, operation: id, path, change, isWhole }) => {
    const operation = operations.find((one) => one.id === id)
    if (operation === undefined) return []
    const payer = isWhole === true ? whole : provider
    const asked = { question, method: operation.method, path: path ?? operation.path }
    if (payer === undefined) return [asked]
    const own = newId()
    const example = fillExample(operation.bodyExample, { about: question }, payer, () => own)
    const probe: Probe = {
      operation: { ...operation, path: asked.path },
      name: question,
      token: 'given',
      parameters: {},
      body: JSON.stringify(change(isObject(example) ? example : {})),
      expected: []
    }
    return [{ ...asked, probe }]
  })
}

/** Says what a server did, without values of the server. */
export function describeReply (reply: Reply | NotSent | undefined): string {
  if (reply === undefined) return 'not asked: no provider without decimals with sandbox numbers'
  if ('notSent' in reply) return `not asked: ${reply.notSent}`
  if ('problem' in reply) return `no answer: ${reply.problem}`
  const { status, isJson, contentType, body } = reply.answer
  if (!isJson) return `${status} with ${showMediaType(contentType)}`
  const outcome = isObject(body) && typeof body.status === 'string' ? body.status : undefined
  const code = readCode(body)
  const words = [outcome, code].filter((word) => word !== undefined).map(showValue)
  return [status, ...words].join(' ')
}
