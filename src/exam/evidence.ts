import { kinds, type Callback, type JournalEntry, type Kind } from './mock.ts'
import type { Depth } from '../reports/exam/verdict.ts'

/** Evidence of a check. */

/** Callback that the exam posted, and its answer. */
export interface Exchange {
  /** Short description, such as "unsigned COMPLETED". */
  label: string
  /** Time of sending, on the clock of the machine. */
  at: number
  request: { method: string; url: string; headers: Record<string, string>; body: string }
  status?: number
  /** Reason of a missing status. */
  error?: string
  response?: { headers: Record<string, string | string[]>; body: string }
  durationMs: number
}

/** Action that the merchant was asked for, and its answer. */
export interface Drive {
  kind: string
  at: number
  durationMs: number
  /** The request or the command, in a line. */
  line: string
  status?: number
  error?: string
  reference?: string
}

/** Merchant's view of a reference. */
export interface Observation {
  at: number
  reference: string
  /** Does it know the reference at all? */
  known: boolean
  paid: boolean
  amount?: string
  effects?: number
  failed?: boolean
}

/** A payment that the merchant started when it was driven. */
export interface Driven {
  kind: Kind
  reference: string | undefined
  /** The identifiers it sent to the API for it, in order, each once. */
  ids: string[]
  drive: Drive
}

export interface Evidence {
  depth: Depth
  exchanges: Exchange[]
  drives: Drive[]
  observations: Observation[]
  /** Requests to the API, oldest first. */
  journal: JournalEntry[]
  /** Has the application asked for the public keys, in this check or an earlier one? */
  hasAskedForKeys: boolean
  /** Callbacks that the mock sent by itself. */
  deliveries: Callback[]
}

/** Facts of earlier checks that matter for later ones. */
export interface Earlier {
  /** Payments, which the merchant may still ask about. */
  ids: Set<string>
  /** Has the application asked for the public keys? It may keep them. */
  hasAskedForKeys: boolean
}

/** Was it acknowledged? */
export function isAcknowledged ({ status }: Pick<Exchange, 'status'>): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** Is it an answer that a payment which the merchant does not know may get? */
export function maySayUnknown ({ status = 0 }: Pick<Exchange, 'status'>): boolean {
  return [400, 404, 409, 410, 422].includes(status)
}

/** Describes an answer in a few words. */
export function outcomeOf ({ status, error }: Pick<Exchange, 'status' | 'error'>): string {
  return status === undefined ? `no answer (${error ?? 'unknown'})` : `HTTP ${status}`
}

/** Says as a predicate how something was answered. */
export function answerTo (exchange: Pick<Exchange, 'status' | 'error'>): string {
  return `${exchange.status === undefined ? 'got' : 'was answered'} ${outcomeOf(exchange)}`
}

/** Is an entry of the journal an initiation of this kind? */
export function isInitiation ({ request }: JournalEntry, kind: Kind): boolean {
  const path = `/${kinds[kind].path}`
  return (
    request.method === 'POST' &&
    (request.path.endsWith(path) || request.path.endsWith(`${path}/bulk`))
  )
}

/** Is it a status check of one of these payments? */
export function isStatusCheck ({ request }: JournalEntry, ids: readonly string[]): boolean {
  return request.method === 'GET' && ids.some((id) => request.path.endsWith(`/${id}`))
}

/** Is it a request for the public keys? */
export function isKeyRequest ({ request: { path } }: JournalEntry): boolean {
  return path.endsWith('/public-key/http')
}

/** Returns the identifiers of initiations, each once, in order of arrival. */
export function identifiersIn (entries: readonly JournalEntry[], kind: Kind): string[] {
  const ids = entries
    .filter((entry) => isInitiation(entry, kind))
    .flatMap((entry) => idsOf(entry, kind))
  return [...new Set(ids)]
}

/** Every identifier of a payment in the path or the body of a request. */
export function idsIn ({ request: { path, body } }: JournalEntry): string[] {
  return `${path} ${JSON.stringify(body ?? '')}`.match(uuid) ?? []
}

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi

function idsOf ({ request: { body }, payments }: JournalEntry, kind: Kind): string[] {
  const named = payments.filter((payment) => payment.kind === kind).map(({ id }) => id)
  if (named.length > 0) return named
  const items = Array.isArray(body) ? body : [body]
  return items.flatMap((item: unknown) => {
    const id =
      typeof item === 'object' && item !== null ? Reflect.get(item, kinds[kind].idField) : undefined
    return typeof id === 'string' ? [id] : []
  })
}
