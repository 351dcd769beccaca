import type { Static } from '@sinclair/typebox'
import { answerWord, closed, orNull, Type } from '../../lib/typebox.ts'
import { formatTimestamp } from '../../lib/clock.ts'
import { fromHundredths } from '../../domain/amount.ts'
import { statementStatuses } from '../../domain/statement.ts'
import { Amount, Country, Currency, DateTime, FailureReason } from '../fields.ts'
import type { FinanceWire, StatementCodec, StatementView } from '../finances.ts'

/** Wallet balances and statements in v2. */

const UtcDateTime = Type.String({
  format: 'utc-date-time',
  description: 'a date-time in UTC without a zone, such as 2026-01-31T12:00:00'
})

const Wallet = Type.Object(
  {
    country: Country,
    currency: Currency,
    provider: Type.Optional(
      orNull(Type.String({ maxLength: 64, description: 'the code of a provider' }))
    )
  },
  { ...closed, description: '{ country, currency, provider }' }
)

const StatementRequest = Type.Object(
  {
    wallet: Wallet,
    // Checked later, because its error has its own code.
    callbackUrl: Type.String({ maxLength: 2048, description: 'an http or https URL' }),
    startDate: UtcDateTime,
    endDate: UtcDateTime,
    compressed: Type.Optional(orNull(Type.Boolean({ description: 'true or false' })))
  },
  {
    ...closed,
    description: 'a statement',
    examples: [
      {
        wallet: { country: 'ZMB', currency: 'ZMW' },
        callbackUrl: 'https://shop.example/statements',
        startDate: '2026-01-01T00:00:00',
        endDate: '2026-01-31T00:00:00'
      }
    ]
  }
)

const StatementRecord = Type.Object({
  statementId: Type.String(),
  status: answerWord(...statementStatuses),
  wallet: Wallet,
  created: DateTime,
  startDate: Type.String(),
  endDate: Type.String(),
  fileSize: Type.Optional(Type.Integer()),
  downloadUrl: Type.Optional(Type.String()),
  downloadUrlExpiresAt: Type.Optional(DateTime),
  completedAt: Type.Optional(DateTime),
  failedAt: Type.Optional(DateTime),
  failureReason: Type.Optional(FailureReason)
})

/** Statements, which only this version has. */
export const statements: StatementCodec = {
  path: '/statements',
  request: StatementRequest,
  read: (body) => {
    const {
      wallet: { country, currency, provider },
      callbackUrl,
      startDate,
      endDate,
      compressed
    } = body as Static<typeof StatementRequest>
    return {
      wallet: { country, currency, ...(provider && { provider }) },
      callbackUrl,
      startDate,
      endDate,
      compressed: compressed ?? false
    }
  },
  answer: Type.Object({
    statementId: Type.String(),
    status: answerWord('ACCEPTED'),
    created: DateTime
  }),
  record: StatementRecord,
  accepted: ({ id, created }) => ({
    statementId: id,
    status: 'ACCEPTED',
    created: formatTimestamp(created)
  }),
  write: writeStatement
}

export const finances: FinanceWire = {
  // A wallet belongs to a country, not to one of its providers; hence the empty name.
  balances: {
    paths: [{ path: '/wallet-balances', query: Type.Object({ country: Type.Optional(Country) }) }],
    answer: Type.Object({
      balances: Type.Array(
        Type.Object({
          country: Country,
          balance: Amount,
          currency: Currency,
          provider: Type.String()
        })
      )
    }),
    write: (wallets) => ({
      balances: wallets.map(({ country, currency, available }) => ({
        country,
        balance: fromHundredths(available),
        currency,
        provider: ''
      }))
    })
  },
  statements
}

function writeStatement ({
  statement: { id, created, request, ending },
  status,
  download
}: StatementView): object {
  return {
    statementId: id,
    status,
    wallet: request.wallet,
    created: formatTimestamp(created),
    startDate: request.startDate,
    endDate: request.endDate,
    ...(download !== undefined && {
      downloadUrl: download.url,
      downloadUrlExpiresAt: formatTimestamp(download.expiresAt)
    }),
    ...(ending !== undefined &&
      ('failure' in ending
        ? { failedAt: formatTimestamp(ending.at), failureReason: ending.failure }
        : { fileSize: ending.fileSize, completedAt: formatTimestamp(ending.at) }))
  }
}
