import type { TSchema } from '@sinclair/typebox'
import type { SchemaOf } from '../lib/typebox.ts'
import type { WalletName } from '../domain/money.ts'
import type { Download, Statement, StatementRequest, StatementStatus } from '../domain/statement.ts'

/** A wallet and its available money, in hundredths. */
export interface Balance extends WalletName {
  available: number
}

/** Schema of a path or a query that may name a country. */
export type CountrySchema = SchemaOf<{ country?: string }>

/** Wallet balances in a version. */
export interface Balances {
  /** Each path, and where it takes the country from. */
  paths: Array<{ path: string; params?: CountrySchema; query?: CountrySchema }>
  answer: TSchema
  write: (balances: Balance[]) => object
}

/** A statement in its current state. */
export interface StatementView {
  statement: Statement
  status: StatementStatus
  download?: Download
}

/** Statements in a version: reader of requests, writer of records. */
export interface StatementCodec {
  path: string
  request: TSchema
  read: (body: unknown) => StatementRequest
  answer: TSchema
  record: TSchema
  accepted: (statement: Statement) => object
  write: (view: StatementView) => object
}

/** Financial calls of a version. */
export interface FinanceWire {
  balances: Balances
  statements?: StatementCodec
}
