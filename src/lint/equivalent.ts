import type { Kind } from '../domain/kinds.ts'
import type { PaymentRequest } from '../domain/payment-request.ts'
import { listNames, separateNames } from '../domain/request-notes.ts'
import { isObject } from '../lib/json.ts'
import { correctField } from './field-corrections.ts'
import { listBodies, changeFields, type LintEntry, type LintRun } from './journal-entry.ts'
import { findKind, findKindByPath } from './kind-lookup.ts'
import { readPage, readPayment } from './v1-reader.ts'
import { writePage, writePayment } from './v2-request.ts'

/** Equivalent v2 request: a v1 request is read with the codec of v1 and written for v2. */

/** Request of v2. */
export interface Equivalent {
  method: string
  path: string
  body?: unknown
  /** Changes that a person must make. */
  notes?: string[]
}

type Body = Record<string, unknown>

interface Written {
  body?: unknown
  notes: string[]
}

const unreadable = (problems: readonly string[]): Written => ({
  notes: [`the body is not a valid v1 body, so it cannot be translated: ${problems.join('; ')}`]
})

/** Finds the v2 request with the same purpose, or returns undefined if there is none. */
export function findEquivalent (entry: LintEntry, run: LintRun): Equivalent | undefined {
  const equivalent = translate(entry, run)
  if (equivalent?.body === undefined) return equivalent
  const unknown = new Set<string>()
  const body = changeFields(withV2Metadata(equivalent.body), (field) =>
    correctField(field, run.facts, unknown)
  )
  const notes = [
    ...(equivalent.notes ?? []),
    ...[...unknown].map(
      (code) => `replace the provider '${code.slice(0, 60)}' with a code of GET /v2/active-conf`
    )
  ]
  return { ...equivalent, body, ...(notes.length > 0 && { notes }) }
}

function translate (entry: LintEntry, run: LintRun): Equivalent | undefined {
  const {
    request: { method, path, body },
    version,
    operation
  } = entry
  if (version === 'v2' || path.startsWith('/v2/')) return equivalentBody(entry, run)
  if (operation === undefined) return correctedPath(entry, run)
  const row = specials.find(({ name }) => name.test(operation))
  if (row !== undefined) return row.write(entry, run)
  const kind = findKind(entry.payments[0]?.kind ?? '') ?? findKindByPath(path)
  if (/Initiate/.test(operation) && kind !== undefined) {
    return assemble(method, `/v2${path}`, writeBodies(kind, entry, run))
  }
  return { method, path: `/v2${path}`, ...(body !== undefined && { body }) }
}

/** Operations with another path or body in v2. */
const specials: Array<{ name: RegExp; write: (entry: LintEntry, run: LintRun) => Equivalent }> = [
  {
    name: /^v1Resend/,
    write: ({ request: { path }, payments: [payment] }) => ({
      method: 'POST',
      path: `/v2${path}/${payment?.id ?? '{id}'}`
    })
  },
  {
    name: /^v1Predict/,
    write: ({ request: { body } }) => ({
      method: 'POST',
      path: '/v2/predict-provider',
      body: { phoneNumber: isObject(body) ? body.msisdn : undefined }
    })
  },
  {
    name: /^v1ListWalletBalances/,
    write: ({ request: { path } }) => {
      const [, country] = /^\/v1\/wallet-balances\/([^/]+)/.exec(path) ?? []
      return {
        method: 'GET',
        path: `/v2/wallet-balances${country === undefined ? '' : `?country=${country}`}`
      }
    }
  },
  {
    name: /^v1(GetAvailability|ListPublicKeys)/,
    write: ({ request: { path, headers } }) => ({
      method: 'GET',
      path: `/v2${path}`,
      ...(headers.authorization === undefined && {
        notes: ['v2 needs the header Authorization: Bearer TOKEN here']
      })
    })
  },
  {
    name: /^v1OpenPaymentPage/,
    write: (entry, run) => assemble('POST', '/v2/paymentpage', writePageBody(entry, run))
  }
]

/** Fields that only a payment page of v1 has. */
const pageFieldsOfV1 = ['amount', 'msisdn', 'statementDescription']

/** Corrects the body of a request to a v2 path. */
function equivalentBody (entry: LintEntry, run: LintRun): Equivalent | undefined {
  const { method, path, body } = entry.request
  if (entry.operation === undefined) return correctedPath(entry, run)
  if (/OpenPaymentPage/.test(entry.operation)) {
    const isOfV1 = !isObject(body) || pageFieldsOfV1.some((name) => name in body)
    return assemble(method, path, isOfV1 ? writePageBody(entry, run) : { body, notes: [] })
  }
  const kind = findKindByPath(path)
  return kind?.versions.includes('v1') !== true
    ? assemble(method, path, { body, notes: [] })
    : assemble(method, path, writeBodies(kind, entry, run))
}

function assemble (method: string, path: string, { body, notes }: Written): Equivalent {
  return { method, path, ...(body !== undefined && { body }), ...(notes.length > 0 && { notes }) }
}

function writeBodies (kind: Kind, entry: LintEntry, run: LintRun): Written {
  if (entry.request.body === undefined) return { notes: [] }
  const isList = Array.isArray(entry.request.body)
  // A v2 body on a v1 path needs no translation.
  if (listBodies(entry).some(isOfV2)) return { body: entry.request.body, notes: [] }
  const payments = listBodies(entry).map((body) => readMixed(kind, body))
  if (payments.length === 0) return unreadable(['it has no payment'])
  const wrong = payments.find((payment) => 'problems' in payment)
  if (wrong !== undefined) return unreadable(wrong.problems)
  const bodies = payments.flatMap((payment) =>
    'read' in payment ? [withCurrency(kind, payment.read, run)] : []
  )
  return {
    body: isList ? bodies.map(({ body }) => body) : bodies[0].body,
    notes: [...new Set(bodies.flatMap(({ notes }) => notes))]
  }
}

/** Returns true for a body of v2. */
export function isOfV2 (body: Record<string, unknown>): boolean {
  const party = body.payer ?? body.recipient
  return isObject(party) && 'accountDetails' in party
}

/** Writes metadata as v2 has it: one name in an entry; of an entry of v1, the name is the field. */
function withV2Metadata (body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withV2Metadata)
  if (!isObject(body) || !Array.isArray(body.metadata)) return body
  const metadata = body.metadata.flatMap((entry) => {
    return isObject(entry) && listNames(entry).length > 1 ? separateNames(entry) : [entry]
  })
  return { ...body, metadata }
}

/** Reads a body as v1, and the fields that only v2 has. */
function readMixed (kind: Kind, body: Body): ReturnType<typeof readPayment> {
  const reading = readPayment(kind, withoutV2(body))
  if ('problems' in reading) return reading
  const { currency, clientReferenceId } = body
  const read = {
    ...reading.read,
    ...(typeof currency === 'string' && { currency }),
    ...(typeof clientReferenceId === 'string' && { clientReferenceId })
  }
  return { read }
}

/** Renames the v2 message field and metadata, so that a mixed body can be read as v1. */
function withoutV2 ({ customerMessage, metadata, ...body }: Body): Body {
  return {
    ...(customerMessage !== undefined && { statementDescription: customerMessage }),
    ...(metadata !== undefined && {
      metadata: Array.isArray(metadata) ? metadata.flatMap(writeV1Metadata) : metadata
    }),
    ...body
  }
}

function writeV1Metadata (entry: unknown): unknown[] {
  if (!isObject(entry) || 'fieldName' in entry) return [entry]
  const { isPII, ...named } = entry
  return Object.entries(named).map(([fieldName, fieldValue]) => ({
    fieldName,
    fieldValue,
    ...(isPII !== undefined && { isPII })
  }))
}

/** Writes a payment. A v2 refund with an amount gets the currency of its deposit. */
function withCurrency (
  kind: Kind,
  payment: PaymentRequest,
  { entries }: LintRun
): { body: Record<string, unknown>; notes: string[] } {
  const { amount, currency, depositId } = payment
  if (amount === undefined || currency !== undefined) {
    return { body: writePayment(kind, payment), notes: [] }
  }
  const deposit = entries
    .flatMap(listBodies)
    .find((body) => body.depositId === depositId && typeof body.currency === 'string')
  if (typeof deposit?.currency === 'string') {
    return { body: writePayment(kind, { ...payment, currency: deposit.currency }), notes: [] }
  }
  return {
    body: writePayment(kind, payment),
    notes: ['add the currency of the deposit; v2 requires it with an amount']
  }
}

function writePageBody ({ request: { body } }: LintEntry, { facts }: LintRun): Written {
  const page = readPage(body)
  if ('problems' in page) return unreadable(page.problems)
  const terms = page.read
  const [currency, ...others] = facts.currencies[terms.country ?? ''] ?? []
  if (terms.amount === undefined) return { body: writePage(terms), notes: [] }
  if (currency !== undefined && others.length === 0) {
    return { body: writePage({ ...terms, currency }), notes: [] }
  }
  const country =
    terms.country === undefined && terms.phoneNumber === undefined
      ? ['add the country or the phoneNumber; v2 requires one of them with an amount']
      : []
  return {
    body: writePage(terms),
    notes: [...country, 'add amountDetails.currency; v2 requires it with an amount']
  }
}

/** Wrong paths that real clients call, with the right request. */
const wrongPaths: Array<
  [
    method: RegExp,
    path: RegExp,
    right: (match: RegExpExecArray, entry: LintEntry, run: LintRun) => Equivalent | undefined
  ]
> = [
  [
    /GET|PUT|PATCH|DELETE/,
    /^\/v2\/(\w+)\/(resend-callback|fail-enqueued)\/([\w-]+)$/,
    ([path]) => ({ method: 'POST', path })
  ],
  [
    /./,
    /^\/v2\/(\w+)\/([\w-]+)\/(resend-callback|fail-enqueued)$/,
    ([, kind, id, action]) => ({ method: 'POST', path: `/v2/${kind}/${action}/${id}` })
  ],
  [
    /./,
    /^(\/v2)?\/(deposit|payout|refund|remittance)\/(resend-callback|fail-enqueued)(\/[\w-]+)?$/,
    ([, , kind, action, id], entry) => ({
      method: 'POST',
      path: `/v2/${kind}s/${action}${id ?? `/${readId(entry, kind)}`}`
    })
  ],
  [
    /GET/,
    /^\/v2\/predict-provider/,
    ([path]) => ({
      method: 'POST',
      path,
      notes: ['send the number in the body: { "phoneNumber": … }']
    })
  ],
  [
    /./,
    /^\/v2\/widget\/sessions?$/,
    (_, { request: { body } }) => assemble('POST', '/v2/paymentpage', { body, notes: [] })
  ],
  [
    /./,
    /^(\/v2)?\/public-keys?(\/https?)?$/,
    () => ({ method: 'GET', path: '/v2/public-key/http' })
  ],
  [/./, /^(\/v2)?\/active-config(uration)?$/, () => ({ method: 'GET', path: '/v2/active-conf' })],
  [
    /./,
    /^\/v1(\/(?:deposits|payouts|refunds)(?:\/.*)?)$/,
    ([, rest], entry, run) => translate(withoutV1Prefix(entry, rest), run)
  ]
]

/** Returns a request to a v1 path with a prefix as the request to the path without it. */
function withoutV1Prefix (entry: LintEntry, path: string): LintEntry {
  const action = /resend-callback$/.test(path) ? 'Resend' : 'Initiate'
  const kind = findKindByPath(path)?.name ?? ''
  const id = readId(entry, kind)
  return {
    ...entry,
    request: { ...entry.request, path },
    version: 'v1',
    operation: entry.request.method === 'POST' ? `v1${action}` : 'v1Find',
    payments: [{ kind, id }]
  }
}

function correctedPath (entry: LintEntry, run: LintRun): Equivalent | undefined {
  const { method, path } = entry.request
  for (const [methods, pattern, right] of wrongPaths) {
    const match = pattern.exec(path)
    if (match !== null && methods.test(method)) return right(match, entry, run)
  }
}

/** Reads the identifier in a body, or returns '{id}'. */
function readId ({ request: { body } }: LintEntry, kind: string): string {
  const id = isObject(body) ? body[`${kind}Id`] : undefined
  return typeof id === 'string' ? id : '{id}'
}
