import { createHash } from 'node:crypto'

/** Bodies of callbacks: genuine ones of the service, and forged ones. */

/** A record as the API shows it; a callback has the same form. */
export type PaymentRecord = Readonly<Record<string, unknown>>

const amountFields = ['amount', 'requestedAmount', 'depositedAmount'] as const

/**
 * Returns a record in another status. Fields of completed payments are added, so that the form
 * shows no difference.
 */
export function inStatus (record: PaymentRecord, status: string): PaymentRecord {
  const { failureReason: _, ...rest } = record
  if (status === 'FAILED') return { ...rest, status, failureReason: failureOf(record) }
  if (status !== 'COMPLETED') return { ...rest, status }
  return isV1(record)
    ? { ...rest, status, depositedAmount: record.requestedAmount }
    : { ...rest, status, providerTransactionId: record.providerTransactionId ?? '745632178' }
}

function failureOf (record: PaymentRecord): object {
  const message = 'The customer did not approve the payment.'
  return isV1(record)
    ? { failureCode: 'PAYMENT_NOT_APPROVED', failureMessage: message }
    : { failureCode: 'PAYMENT_NOT_APPROVED', failureMessage: message }
}

/** Is it a record of v1? */
export function isV1 (record: PaymentRecord): boolean {
  return 'correspondent' in record || 'requestedAmount' in record
}

/** Returns the amount fields of a record with another amount. */
export function amountsOf (record: PaymentRecord, amount: string): PaymentRecord {
  return Object.fromEntries(
    amountFields.filter((name) => name in record).map((name) => [name, amount])
  )
}

/** Returns the amount of a record as text. */
export function amountOf (record: PaymentRecord): string {
  const [value] = amountFields.flatMap((name) => (name in record ? [record[name]] : []))
  return typeof value === 'string' ? value : ''
}

/**
 * The same JSON in other bytes: other spaces, keys the other way round, escapes, and a line feed at
 * the end.
 */
export function rewritten (record: PaymentRecord): string {
  const reversed = Object.fromEntries(Object.entries(record).reverse())
  const text = JSON.stringify(reversed, null, 2).replace(
    /: "([A-Z])([A-Z_]+)"/g,
    (_, first: string, rest: string) => `: "\\u00${first.charCodeAt(0).toString(16)}${rest}"`
  )
  return `${text.replaceAll(': ', ' :  ')}\n`
}

/** Value of a Content-Digest header for a body (RFC 9530). */
export function digestOf (body: string): string {
  return `sha-512=:${createHash('sha512').update(body).digest('base64')}:`
}
