/**
 * Words of the vendor's contract, written by hand from its specification and its public record.
 * Nothing here comes from the source: an error that the server and its OpenAPI document share is
 * none that this contract shares.
 */

/** Form of a value: a format, one of some words, an object, a list, or a map of any names. */
export type Form =
  | Format
  | readonly string[]
  | Shape
  | { list: Form; atLeast?: number; atMost?: number }
  | { map: Form }
  | ByStatus

/** Object with these fields and no others. */
export interface Shape {
  must: Fields
  may?: Fields
}

export type Fields = Record<string, Form>

/** Object whose field `status` decides which others it has. */
export interface ByStatus {
  byStatus: Record<string, Shape>
}

const uuid = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i

/** Formats of texts. */
export const formats = {
  uuid,
  /** An identifier in a refusal, as it was sent. */
  echo: /^[^]{0,36}$/,
  amount: /^(?=.{1,23}$)(0|[1-9]\d{0,17})(\.\d{1,4})?$/,
  currency: /^[A-Z]{3}$/,
  country: /^[A-Z]{3}$/,
  message: /^[a-zA-Z0-9 ]{4,22}$/,
  /** A time that the service writes: UTC, in whole seconds. */
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  /** A time that the merchant wrote. */
  dateTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i,
  /** A time of a statement, as the merchant wrote it: in UTC, and the zone can be missing. */
  statementTime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?$/,
  date: /^\d{4}-\d\d-\d\d$/,
  phoneNumber: /^[1-9]\d{5,14}$/,
  digits: /^\d{1,64}$/,
  provider: /^[A-Z\d]+(_[A-Z\d]+)+$/,
  decimal: /^\d+(\.\d+)?$/,
  url: /^https?:\/\/\S+$/,
  language: /^[a-z]{2}$/,
  publicKey: /^-----BEGIN PUBLIC KEY-----\n[^]+\n-----END PUBLIC KEY-----\n?$/,
  some: /\S/,
  text: /^[^]*$/
} as const satisfies Record<string, RegExp>

/** Formats of other values. */
export const types = {
  boolean: (value: unknown) => typeof value === 'boolean',
  wholeNumber: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
  is0: (value: unknown) => value === 0,
  is1: (value: unknown) => value === 1,
  is2: (value: unknown) => value === 2,
  is3: (value: unknown) => value === 3
} as const

export type Format = keyof typeof formats | keyof typeof types

/** Kinds of payment: their paths and the names of their identifiers. */
export const kinds = {
  deposit: { path: 'deposits', idField: 'depositId' },
  payout: { path: 'payouts', idField: 'payoutId' },
  refund: { path: 'refunds', idField: 'refundId' },
  remittance: { path: 'remittances', idField: 'remittanceId' },
  splitPayment: { path: 'split-payments', idField: 'splitPaymentId' },
  checkout: { path: 'checkouts', idField: 'checkoutId' }
} as const

export type Kind = keyof typeof kinds

/** A call: its method, its path, and its answer for each HTTP status. */
export interface Operation {
  method: string
  /** `{…}` stands for one part of a path. */
  path: string
  /** A key such as `5XX` stands for all statuses of its class that are not named. */
  answers: Record<string, Form>
}

/** Adds fields to a shape. */
export function extend (shape: Shape, must: Fields, may: Fields = {}): Shape {
  return { must: { ...shape.must, ...must }, may: { ...shape.may, ...may } }
}

/** A record that looks the same in some statuses, and otherwise in others. */
export function byStatus (...rows: Array<[statuses: readonly string[], shape: Shape]>): ByStatus {
  const cases = rows.flatMap(([statuses, shape]) => statuses.map((status) => [status, shape]))
  return { byStatus: Object.fromEntries(cases) }
}

export const availability = ['OPERATIONAL', 'DELAYED', 'CLOSED'] as const

export const publicKeys: Form = {
  list: { must: { id: 'some', key: 'publicKey' } },
  atLeast: 1
}
