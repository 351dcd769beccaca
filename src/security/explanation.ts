import { constants } from 'node:crypto'
import { otherHost } from '../domain/callback-faults.ts'
import { serviceHosts } from '../domain/service-hosts.ts'
import {
  algorithmNames,
  algorithmsFor,
  encodingOf,
  verifies,
  type AlgorithmName
} from './algorithms.ts'
import { valueOf, quoteComponent, type Message } from './components.ts'
import { digestProblem } from './digest.ts'
import type { VerifyingKey } from './keys.ts'
import { readSignature, type ReceivedSignature } from './received.ts'
import { signatureBase } from './signature.ts'

/** Verifies signatures, and explains each result. */

/** Keys, time and rules for the verification. */
export interface VerificationTerms {
  keys: readonly VerifyingKey[]
  /** System time. */
  now: number
  /** Accepted encodings of ECDSA signatures. */
  encoding: 'both' | 'der'
}

/** Result of a verification: the received values, the signature base and all problems. */
export interface Explanation {
  valid: boolean
  problems: string[]
  /** Fix, if it is known. */
  hints: string[]
  label?: string
  /** Covered components, in the received order. */
  components: string[]
  /** Parameters, in the received order. */
  parameters: Record<string, string | number | boolean>
  /** Text that must have been signed; absent if a component is missing. */
  base?: string
  algorithm?: string
  /** Encoding of the ECDSA signature. */
  encoding?: 'der' | 'p1363' | 'unknown'
}

/** Components that merchants must cover. */
const recommended = [
  '@method',
  '@authority',
  '@path',
  'signature-date',
  'content-digest',
  'content-type'
]

/** Frequent mistakes in the signature base. A signature over one of them is explained. */
const slips: Array<[what: string, make: (base: string, message: Message) => string]> = [
  ['with a line feed after the last line', (base) => `${base}\n`],
  ['with CR LF between the lines', (base) => base.replaceAll('\n', '\r\n')],
  [
    'with the @authority without its port',
    (base) => base.replace(/^("@authority": .*):\d+$/m, '$1')
  ],
  [
    'with the query in the @path',
    (base, { target }) => base.replace(/^"@path": .*$/m, () => `"@path": ${target}`)
  ],
  [
    'with the @method in lower case',
    (base) => base.replace(/^"@method": .*$/m, (line) => line.toLowerCase())
  ],
  ['without the line of the parameters', (base) => base.replace(/\n"@signature-params".*$/, '')]
]

/** Verifies the signature of a request. It is valid if there is no problem. */
export function explainSignature (
  message: Message,
  body: Buffer,
  terms: VerificationTerms
): Explanation {
  const received = readSignature(message)
  if ('problem' in received) {
    return { valid: false, problems: [received.problem], hints: [], components: [], parameters: {} }
  }
  const problems: string[] = []
  const base = baseOf(received, message, problems)
  checkDigest(received, message, body, problems)
  checkTime(received, terms.now, problems)
  const key = findKey(received, terms.keys, problems)
  const candidates = key === undefined ? [] : candidatesFor(received, key, problems)
  const encoding = encodingOf(candidates[0] ?? alg(received) ?? 'ecdsa-p256-sha256', received.value)
  if (candidates.length > 0 && encoding === 'unknown') {
    problems.push(
      `the value of the signature (${received.value.length} bytes) is neither ASN.1 DER nor r||s`
    )
  }
  if (encoding === 'p1363' && terms.encoding === 'der') {
    problems.push('the value of the signature is r||s; this account takes ASN.1 DER only')
  }
  const algorithm =
    base === undefined || key === undefined
      ? undefined
      : candidates.find((name) => verifies(name, key.key, base, received.value))
  const hints = [...canonical(received), ...coverage(received)]
  if (base !== undefined && key !== undefined && candidates.length > 0 && algorithm === undefined) {
    const own = (text: string): boolean =>
      candidates.some((name) => verifies(name, key.key, text, received.value))
    const host = findHost(message, base, own)
    problems.push(
      host === undefined
        ? `the signature does not match the signature base (${candidates.join(' or ')} with ` +
            `the key ${key.id})`
        : `the signature is for host ${host}, the request came to ${message.authority}`
    )
    hints.unshift(...guesses(received, message, base, key, candidates, terms.keys))
  }
  return {
    valid: problems.length === 0,
    problems,
    hints,
    label: received.label,
    components: received.components.map(quoteComponent),
    parameters: Object.fromEntries(
      [...received.parameters].map(([name, value]) => [
        name,
        typeof value === 'number' || typeof value === 'boolean' ? value : String(value)
      ])
    ),
    ...(base !== undefined && { base }),
    ...((algorithm ?? candidates[0]) !== undefined && {
      algorithm: algorithm ?? candidates.join(' or ')
    }),
    ...(candidates.length > 0 && encoding !== undefined && { encoding })
  }
}

/** What a callback must cover, or its signature could be put on another message. */
const neededInCallbacks = ['@method', '@authority', '@path', 'content-digest']

/**
 * Verifies the signature of a callback. A receiver is stricter than the service: the service always
 * covers host and path, and always names the end.
 */
export function explainCallback (
  message: Message,
  body: Buffer,
  terms: VerificationTerms
): Explanation {
  const explanation = explainSignature(message, body, terms)
  const { components, parameters } = explanation
  if (components.length === 0) return explanation
  const missing = neededInCallbacks.filter((name) => !components.includes(`"${name}"`))
  const problems = [
    ...explanation.problems,
    ...missing.map((name) => `"${name}" is not covered: the callback may be for somebody else`),
    ...(parameters.expires === undefined ? ['it has no expires, so it would never end'] : [])
  ]
  return { ...explanation, problems, valid: problems.length === 0 }
}

/** Builds the signature base from the received components in their order. */
function baseOf (
  { components, input }: ReceivedSignature,
  message: Message,
  problems: string[]
): string | undefined {
  const before = problems.length
  const lines = components.map((component): [string, string] => {
    const found =
      component.name === '@signature-params'
        ? { problem: '"@signature-params" cannot cover itself' }
        : valueOf(component, message)
    if ('problem' in found) problems.push(found.problem)
    return [quoteComponent(component), 'problem' in found ? '' : found.value]
  })
  return problems.length > before ? undefined : signatureBase(lines, input)
}

function checkDigest (
  { components }: ReceivedSignature,
  { headers }: Message,
  body: Buffer,
  problems: string[]
): void {
  const digest = headers['content-digest']
  const covered = components.some(({ name }) => name === 'content-digest')
  if (body.length > 0 && !covered) {
    problems.push(
      '"content-digest" is not covered, so nothing says that the body is the one that was signed'
    )
  }
  if (digest === undefined) return
  const problem = digestProblem([digest].flat().join(', '), body)
  if (problem !== undefined) problems.push(problem)
}

function checkTime ({ parameters }: ReceivedSignature, now: number, problems: string[]): void {
  const expires = parameters.get('expires')
  if (expires === undefined) return
  if (typeof expires !== 'number') problems.push('the parameter expires is not a number of seconds')
  else if (now > expires * 1000) {
    problems.push(
      `it expired ${Math.ceil(now / 1000 - expires)} s ago, by the clock of this machine ` +
        `(${new Date(now).toISOString()})`
    )
  }
}

function findKey (
  { parameters }: ReceivedSignature,
  keys: readonly VerifyingKey[],
  problems: string[]
): VerifyingKey | undefined {
  const keyid = parameters.get('keyid')
  const known =
    keys.length === 0
      ? 'the account has no publicKeys'
      : `known are ${keys.map(({ id }) => id).join(', ')}`
  const key = keys.find(({ id }) => id === keyid)
  if (keyid === undefined) problems.push(`the parameter keyid is missing; ${known}`)
  else if (key === undefined) problems.push(`the key ${String(keyid)} is not known; ${known}`)
  return key
}

/** Algorithms to try: the named one, or those that fit the key. */
function candidatesFor (
  received: ReceivedSignature,
  { id, key }: VerifyingKey,
  problems: string[]
): AlgorithmName[] {
  const fitting = algorithmsFor(key)
  const named = received.parameters.get('alg')
  if (named === undefined) return fitting
  const known = alg(received)
  if (known !== undefined && fitting.includes(known)) return [known]
  problems.push(
    known === undefined
      ? `the algorithm ${String(named)} is not supported; use one of ${algorithmNames.join(', ')}`
      : `the algorithm ${known} does not fit the key ${id}; use ${fitting.join(' or ')}`
  )
  return []
}

function alg ({ parameters }: ReceivedSignature): AlgorithmName | undefined {
  return algorithmNames.find((name) => name === parameters.get('alg'))
}

function canonical ({ sent, input }: ReceivedSignature): string[] {
  return sent === undefined || sent === input
    ? []
    : [
        'the Signature-Input header is not in the canonical form of RFC 8941; the base has ' +
          `it as ${input}`
      ]
}

function coverage ({ components }: ReceivedSignature): string[] {
  const left = recommended.filter(
    (name) => !components.some((component) => component.name === name)
  )
  return left.length === 0 ? [] : [`not covered, though recommended: ${left.join(', ')}`]
}

/**
 * Finds the host that a signature is for, among those that a proxy, a client with hard-coded hosts
 * and a callback fault are known to use.
 */
function findHost (
  { headers }: Message,
  base: string,
  own: (base: string) => boolean
): string | undefined {
  const passedOn = [headers['x-forwarded-host']].flat().filter((host) => host !== undefined)
  return [otherHost, ...passedOn, ...serviceHosts].find((host) =>
    own(base.replace(/^"@authority": .*$/m, () => `"@authority": ${host.toLowerCase()}`))
  )
}

/** Finds the mistake that a wrong signature was made with. */
function guesses (
  { sent, input, value }: ReceivedSignature,
  message: Message,
  base: string,
  { key }: VerifyingKey,
  candidates: readonly AlgorithmName[],
  keys: readonly VerifyingKey[]
): string[] {
  const own = (text: string): boolean => candidates.some((name) => verifies(name, key, text, value))
  const other = keys.find(
    (one) =>
      one.key !== key && algorithmsFor(one.key).some((name) => verifies(name, one.key, base, value))
  )
  return [
    ...(other === undefined ? [] : [`it was made with the key ${other.id}`]),
    ...algorithmsFor(key)
      .filter((name) => !candidates.includes(name) && verifies(name, key, base, value))
      .map((name) => `it was made by ${name}`),
    ...(candidates.includes('rsa-pss-sha512') &&
    verifies('rsa-pss-sha512', key, base, value, constants.RSA_PSS_SALTLEN_AUTO)
      ? ['it was made with a salt of another length; it must be 64 bytes']
      : []),
    ...(sent !== undefined && own(base.replace(input, () => sent))
      ? ['it was made over the Signature-Input header as sent, not over its canonical form']
      : []),
    ...slips
      .filter(([, make]) => own(make(base, message)))
      .map(([what]) => `it was made over the base ${what}`)
  ]
}
