import type { Contract, Version, Operation } from './contract.ts'
import { mapValues } from '../lib/json.ts'
import type { Expected } from './judgement.ts'
import type { SandboxProvider } from './sandbox-providers.ts'
import type { NewId, Probe } from './probes.ts'

/** Requests that make payments with documented sandbox numbers. Only --write sends them. */

interface Step {
  /** operationId without v1 or v2. */
  operation: string
  name: string
  /** Label of the payment. */
  about: string
  expected: (version: Version) => Expected[]
  /** Whether it is sent only if that payment was accepted. */
  isFollowUp?: boolean
  /** Label of the deposit of a refund. The deposit must be accepted. */
  deposit?: string
  with?: 'a number that fails' | 'an amount above the maximum'
  /** Status of the record to wait for. */
  final?: string
}

const says = (outcome: string) => (): Expected[] => [{ status: 200, outcome }]
const isEither =
  (...statuses: number[]) =>
    (): Expected[] =>
      statuses.map((status) => ({ status }))

function shows (version: Version): Expected[] {
  return [{ status: 200, ...(version === 'v2' && { outcome: 'FOUND' }) }]
}

function rejects (v1: string | undefined, v2: string): Step['expected'] {
  return (version) => {
    const code = version === 'v1' ? v1 : v2
    return [{ status: 200, outcome: 'REJECTED', ...(code !== undefined && { code }) }]
  }
}

function step (
  operation: string,
  name: string,
  about: string,
  expected: Step['expected'],
  more: Partial<Step> = {}
): Step {
  return { operation, name, about, expected, ...more }
}

/** Builds a step that is sent only if its payment was accepted. */
function followUp (...parts: Parameters<typeof step>): Step {
  return { ...step(...parts), isFollowUp: true }
}

const completed = { final: 'COMPLETED' } as const

/** Lists the steps of a kind that pays money out. */
function outgoing (kind: string, more: Partial<Step> = {}): Step[] {
  const about = kind.toLowerCase()
  const isFinal = rejects(undefined, 'INVALID_STATE')
  return [
    step(`Initiate${kind}`, 'accepts a payment', about, says('ACCEPTED'), more),
    followUp(`Find${kind}`, 'shows a payment that completed', about, shows, completed),
    followUp(`Resend${kind}Callback`, 'sends a callback again', about, says('ACCEPTED')),
    followUp(`CancelEnqueued${kind}`, 'refuses to cancel a completed payment', about, isFinal),
    step(`Initiate${kind}s`, 'accepts a list', `${about} in a list`, isEither(200))
  ]
}

const failing = { with: 'a number that fails' } as const
const tooLarge = { with: 'an amount above the maximum' } as const
const notCompleted = rejects('DEPOSIT_NOT_COMPLETED', 'INVALID_STATE')

/** Steps in their order. A step without an operation in a version is left out. */
const steps: readonly Step[] = [
  step('InitiateDeposit', 'accepts a payment', 'deposit', says('ACCEPTED')),
  followUp('InitiateDeposit', 'ignores a repeat', 'deposit', says('DUPLICATE_IGNORED')),
  followUp('FindDeposit', 'shows a payment that completed', 'deposit', shows, completed),
  followUp('ResendDepositCallback', 'sends a callback again', 'deposit', says('ACCEPTED')),
  step('InitiateDeposit', 'accepts a payment that fails', 'failure', says('ACCEPTED'), failing),
  followUp('FindDeposit', 'shows a payment that failed', 'failure', shows, { final: 'FAILED' }),
  step(
    'InitiateDeposit',
    'rejects an amount above the maximum',
    'large deposit',
    rejects('AMOUNT_TOO_LARGE', 'AMOUNT_OUT_OF_BOUNDS'),
    tooLarge
  ),
  ...outgoing('Payout'),
  ...outgoing('Refund', { deposit: 'deposit' }),
  step('InitiateRefund', 'rejects a refund of a failed deposit', 'wrong refund', notCompleted, {
    deposit: 'failure'
  }),
  ...outgoing('Remittance'),
  step('InitiateSplitPayment', 'accepts a payment', 'split', says('ACCEPTED')),
  followUp('FindSplitPayment', 'shows a payment that completed', 'split', shows, completed),
  step('InitiateCheckout', 'accepts a checkout', 'checkout', says('ACCEPTED')),
  followUp('InitiateCheckout', 'ignores a repeat', 'checkout', says('DUPLICATE_IGNORED')),
  followUp('FindCheckout', 'shows a checkout', 'checkout', shows),
  followUp('ExpireCheckout', 'expires a checkout', 'checkout', says('EXPIRED')),
  step('OpenPaymentPage', 'opens a payment page', 'page', isEither(200, 201)),
  step('RequestStatement', 'accepts a statement', 'statement', says('ACCEPTED')),
  followUp('FindStatement', 'shows a statement', 'statement', shows)
]

/** Lists every request that makes a payment or follows it up, for the operations of a contract. */
export function paymentProbes (
  { operations }: Contract,
  provider: SandboxProvider,
  newId: NewId
): Probe[] {
  const ids = new Map<string, string>()
  const idOf = (label: string): string => {
    const id = ids.get(label) ?? newId()
    ids.set(label, id)
    return id
  }
  return (['v1', 'v2'] as const).flatMap((version) =>
    steps.flatMap((step) => {
      const operation = operations.find(({ id }) => id === `${version}${step.operation}`)
      return operation === undefined
        ? []
        : [probeOf(step, operation, provider, (label) => idOf(`${version} ${label}`))]
    })
  )
}

function probeOf (
  step: Step,
  operation: Operation,
  provider: SandboxProvider,
  idOf: (label: string) => string
): Probe {
  const { about, deposit, isFollowUp, final, name, expected } = step
  const after = isFollowUp === true ? about : deposit
  const label = (text: string): string => `${operation.version} ${text}`
  const body =
    operation.bodyExample === undefined
      ? undefined
      : fillExample(operation.bodyExample, step, provider, idOf)
  // The server makes the identifier of a statement. The run takes it from the answer.
  const hasOwnId = about !== 'statement'
  return {
    operation,
    name,
    token: 'given',
    parameters: hasOwnId
      ? Object.fromEntries(
        operation.pathParameters.map((parameter) => [parameter.name, idOf(about)])
      )
      : {},
    ...(body !== undefined && { body: JSON.stringify(body) }),
    label: label(about),
    ...(after !== undefined && { after: label(after) }),
    ...(final !== undefined && { final }),
    expected: expected(operation.version)
  }
}

/** Fills the example of a body with new identifiers and the data of a sandbox provider. */
export function fillExample (
  body: unknown,
  step: Pick<Step, 'about' | 'deposit' | 'with'>,
  provider: SandboxProvider,
  idOf: (label: string) => string
): unknown {
  const number = step.with === 'a number that fails' ? provider.fails : provider.completes
  return mapValues(body, (value, name, path) => {
    // An element of a list has its own identifier and its own amount.
    const part = path.slice(0, -1).join(' ')
    const isPart = /\d/.test(part)
    if (name === 'depositId' && step.deposit !== undefined) return idOf(step.deposit)
    if (name.endsWith('Id')) return idOf(isPart ? `${step.about} ${part}` : step.about)
    const amount =
      step.with === 'an amount above the maximum'
        ? provider.tooMuch
        : provider.least * (isPart ? 1 : 2)
    const values: Record<string, string> = {
      amount: String(amount),
      currency: provider.currency,
      country: provider.country,
      provider: provider.provider,
      correspondent: provider.provider,
      phoneNumber: number,
      value: number,
      callbackUrl: 'https://statements.invalid/'
    }
    return values[name] ?? value
  })
}
