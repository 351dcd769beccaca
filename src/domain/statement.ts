import type { Account } from './account.ts'
import { fromHundredths } from './amount.ts'
import type { Catalogue } from './catalogue.ts'
import type { WalletEntry } from './money.ts'
import { stateAt } from './payment.ts'
import { listWallets } from './account-offering.ts'
import type { FailureReason } from './status.ts'
import type { Refusal } from './refusal.ts'
import { showUrl } from '../lib/url.ts'
import { isHttpUrl } from '../lib/validator.ts'
import { formatTimestamp } from '../lib/clock.ts'

/** A statement lists the entries of a wallet within a period, as a file. */

/** Request of the merchant. Dates as written; they are UTC, also without a zone. */
export interface StatementRequest {
  wallet: { country: string; currency: string; provider?: string }
  callbackUrl: string
  startDate: string
  endDate: string
  compressed: boolean
  /** Failure that a scenario wants. */
  failure?: FailureReason
}

/** End of a statement: a file with its size, or a reason. */
export type StatementEnding =
  { at: number; fileSize: number } | { at: number; failure: FailureReason }

export interface Statement {
  /** The ledger's own number of it. */
  seq: number
  account: number
  id: string
  /** Milliseconds on the account's clock. */
  created: number
  request: StatementRequest
  /** Only once it has ended. */
  ending?: StatementEnding
}

/** Statement that is not stored yet, and the time when it is made. */
export interface StatementDraft extends Pick<Statement, 'id' | 'created' | 'request'> {
  due: number
}

/** Address of the file of a statement, and the end of its lifetime. */
export interface Download {
  url: string
  expiresAt: number
}

export const statementStatuses = ['PROCESSING', 'COMPLETED', 'FAILED'] as const
export type StatementStatus = (typeof statementStatuses)[number]

export const readyAfterMs = 500

const longestDays = 31
const dayMs = 24 * 60 * 60_000

/** Problem of a request, in the documented order, or undefined. */
export function judgeStatement (
  { wallet, callbackUrl, startDate, endDate }: StatementRequest,
  account: Account,
  catalogue: Catalogue
): Refusal | undefined {
  if (!isHttpUrl(callbackUrl)) {
    return {
      code: 'CALLBACK_URL',
      message:
        'callbackUrl must be an http or https URL, got ' +
        `'${showUrl(callbackUrl).slice(0, 60)}'`
    }
  }

  const span = utc(endDate) - utc(startDate)
  if (span <= 0) {
    return {
      code: 'DATE_RANGE',
      message: `endDate '${endDate}' must be later than startDate '${startDate}'`
    }
  }
  if (span > longestDays * dayMs) {
    return {
      code: 'DATE_RANGE',
      message:
        `endDate '${endDate}' must be at most ${longestDays} days after startDate ` +
        `'${startDate}'`
    }
  }

  const { country, currency, provider } = wallet
  if (provider) {
    return {
      code: 'WALLET_NOT_FOUND',
      message:
        `wallet.provider '${provider.slice(0, 60)}' has no wallet of its own; leave it out for ` +
        'the wallet of the country'
    }
  }
  const wallets = listWallets(account, catalogue)
  if (!wallets.some((one) => one.country === country && one.currency === currency)) {
    return {
      code: 'WALLET_NOT_FOUND',
      message:
        `there is no ${country} ${currency} wallet on this account; the wallet balances list ` +
        'those there are'
    }
  }
  return undefined
}

/**
 * The state of a statement: it is worked on from the moment it was accepted, and its end is true
 * once it is recorded.
 */
export function statementStatus ({ ending }: Statement): StatementStatus {
  if (ending !== undefined) return 'failure' in ending ? 'FAILED' : 'COMPLETED'
  return 'PROCESSING'
}

const columns = [
  'date',
  'type',
  'paymentKind',
  'paymentId',
  'provider',
  'phoneNumber',
  'amount',
  'currency',
  'balanceAfter',
  'description',
  'metadata',
  'clientReferenceId',
  'providerTransactionId',
  'status'
]

/** The first line of the file. */
export const statementHeader = csv(columns)

/**
 * Writes the lines of a statement. Every entry of the wallet must be shown to it in its order,
 * because the balance after an entry is the sum of all before it; only those within the window,
 * both ends included, become lines.
 */
export function statementWriter (
  { wallet, startDate, endDate }: StatementRequest,
  now: number
): (entry: WalletEntry) => string | undefined {
  const [start, end] = [utc(startDate), utc(endDate)]
  let balance = 0
  let isOpening = true
  return (entry) => {
    const { at, amount, payment } = entry
    const description = isOpening ? 'Opening balance' : describe(entry)
    isOpening = false
    balance += amount
    if (at < start || at > end) return undefined
    const { kind, details, plan } = payment ?? {}
    const status = payment && stateAt(payment, now).to
    return csv([
      formatTimestamp(at),
      amount < 0 ? 'DEBIT' : 'CREDIT',
      kind?.operation ?? '',
      details?.id ?? '',
      details?.provider ?? '',
      details?.phoneNumber ?? '',
      fromHundredths(amount),
      wallet.currency,
      fromHundredths(balance),
      description,
      details?.metadata === undefined
        ? ''
        : JSON.stringify(
          Object.fromEntries(details.metadata.map(({ name, value }) => [name, value]))
        ),
      details?.clientReferenceId ?? '',
      status === 'COMPLETED' ? (plan?.providerTransactionId ?? '') : '',
      status ?? ''
    ])
  }
}

/** Date of a request in milliseconds. Dates are UTC, also without a zone. */
function utc (date: string): number {
  return Date.parse(/z$/i.test(date) ? date : `${date}Z`)
}

/** Money of a payment is taken when it is accepted, and returned when it fails. */
function describe ({ amount, payment }: WalletEntry): string {
  if (payment === undefined) return 'Balance changed by the tester'
  const { name, money } = payment.kind
  if (money === 'in') return `${name} completed`
  return amount < 0 ? `${name} accepted` : `${name} failed, its money is back`
}

function csv (fields: string[]): string {
  return (
    fields
      .map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
      .join(',') + '\r\n'
  )
}
