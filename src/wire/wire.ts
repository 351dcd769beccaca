import type { Static, TSchema } from '@sinclair/typebox'
import type { Kind, KindName } from '../domain/kinds.ts'
import type { AnyPayment, Payment } from '../domain/payment.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { AmountStyle } from '../domain/amount.ts'
import type { VersionRules } from '../domain/api-version.ts'
import type { PaymentRequest, MetadataEntry } from '../domain/payment-request.ts'
import type { Move } from '../domain/plan.ts'
import type { Initiation } from '../ports/ledger.ts'
import { Refused } from '../domain/refusal.ts'
import { maxMetadata } from './fields.ts'
import type { FinanceWire } from './finances.ts'
import type { Toolkit } from './toolkit.ts'
import type { PageCodec } from './payment-page.ts'

/** A payment in its current state, with its parts. */
export interface View<P extends AnyPayment = Payment> {
  payment: P
  state: Move
  parts: View[]
}

/** Actions on a kind in a version besides initiation and status check. */
export interface Actions {
  /** Many in one request. */
  bulk?: boolean
  /** Send the callback again. */
  resend?: boolean
  /** Cancel while it is enqueued. */
  cancel?: boolean
  /** End it before its time is up. */
  expire?: boolean
}

/**
 * A version of the API is a way of spelling. A codec spells one kind: how a request is read, how
 * a record is written.
 */
export interface Codec {
  request: TSchema
  read: (body: unknown) => PaymentRequest
  record: TSchema
  /** Writes a record, with amounts in the style of the account. */
  write: (view: View<AnyPayment>, amounts?: AmountStyle) => object
  actions: Actions
}

export interface WireReply {
  status: number
  body: object
}

/** Place of a refusal: the operation decides the other fields of the body. */
export interface OperationContext {
  operation: 'initiate' | 'find' | 'toolkit' | 'none'
  kind?: Kind
  id?: string
}

/** Answers of a version. */
export interface Answers {
  /** Schemas of answers by kind. */
  schemas: {
    /** An element of a bulk request can also be rejected for an error of a single request. */
    initiation: (kind: Kind, among?: 'many') => TSchema
    lookup: (kind: Kind, record: TSchema) => TSchema
    action: (kind: Kind) => TSchema
    /** Possible refusals at a place, by HTTP status. */
    refusal: (place: OperationContext, status: number) => TSchema
  }
  initiated: (
    kind: Kind,
    id: string,
    initiation: Initiation,
    errorId: (message: string) => string
  ) => WireReply
  /** One element of a bulk request: every refusal is a rejection there, and the others stand. */
  element: (kind: Kind, id: string, initiation: Initiation) => object
  found: (record: object | undefined) => WireReply
  /** Result of a resend or a cancellation. */
  acted: (kind: Kind, id: string, refusal: Refusal | undefined) => WireReply
  refused: (
    refusal: Refusal,
    place: OperationContext,
    errorId: (message: string) => string
  ) => WireReply
}

/** Paths of the fields of a customer's wallet in a request, with dots. */
export interface WalletPaths {
  provider: string
  phoneNumber: string
}

export interface Wire extends VersionRules {
  prefix: string
  walletPaths: (kind: Kind) => WalletPaths
  /** Place of the identifier in a resend: its path or its body. */
  resendBy: 'path' | 'body'
  codecs: Partial<Record<KindName, Codec>>
  page: PageCodec
  answers: Answers
  toolkit: Toolkit
  finances: FinanceWire
}

/** A codec whose reader is typed by its schema, and its writer by the stored form of its kind. */
export function codec<T extends TSchema, P extends AnyPayment = Payment> (parts: {
  request: T
  read: (body: Static<T>) => PaymentRequest
  record: TSchema
  write: (view: View<P>, amounts?: AmountStyle) => object
  actions: Actions
}): Codec {
  return parts as unknown as Codec
}

/** Refusal of metadata with the same name twice, which no schema can refuse. */
export function repeatedName (entries: MetadataEntry[]): Refused {
  const names = entries.map(({ name }) => name)
  const repeated = names.find((name, n) => names.indexOf(name) < n)
  return new Refused(
    'DUPLICATE_METADATA',
    `metadata names '${repeated}' twice; each name may be given once, at most ${maxMetadata} in all`
  )
}

/** Metadata of a record: names and values, or undefined if it has none. */
export function metadataObject (
  entries: MetadataEntry[] | undefined
): Record<string, string> | undefined {
  return entries && Object.fromEntries(entries.map(({ name, value }) => [name, value]))
}
