import type { Version } from './api-version.ts'
import type { Kind } from './kinds.ts'
import { stateAt, type AnyPayment } from './payment.ts'
import type { Status } from './status.ts'

/** Filter of the payments of an account. */
export interface PaymentFilter {
  kind?: Kind
  status?: Status
  provider?: string
  phoneNumber?: string
  version?: Version
  /** Created at this time of the account's clock, or later. */
  since?: number
  /** Created before this time. */
  until?: number
  /** Start of the identifier or of the phone number, or a value of the metadata or reference. */
  search?: string
}

/** Tells whether a payment matches a filter at a time of its account's clock. */
export function matchesFilter (
  payment: AnyPayment,
  { kind, status, provider, phoneNumber, version, since, until, search }: PaymentFilter,
  now: number
): boolean {
  const { created, details } = payment
  const wallet = 'amount' in details ? details : undefined
  return (
    (kind === undefined || payment.kind === kind) &&
    (since === undefined || created >= since) &&
    (until === undefined || created < until) &&
    (version === undefined || payment.version === version) &&
    (provider === undefined || wallet?.provider === provider) &&
    (phoneNumber === undefined || wallet?.phoneNumber === phoneNumber) &&
    (search === undefined || isFound(payment, search.toLowerCase())) &&
    (status === undefined || stateAt(payment, now).to === status)
  )
}

/** Tells whether a payment has a text that somebody searches for. */
function isFound ({ details }: AnyPayment, text: string): boolean {
  const { id, clientReferenceId, metadata = [] } = details
  return (
    id.toLowerCase().startsWith(text) ||
    ('phoneNumber' in details && details.phoneNumber.startsWith(text)) ||
    clientReferenceId?.toLowerCase() === text ||
    metadata.some(({ value }) => String(value).toLowerCase() === text)
  )
}
