import type { TSchema } from '@sinclair/typebox'
import type { SchemaOf } from '../lib/typebox.ts'
import type { WalletName } from '../domain/money.ts'
import type { Download, Statement, StatementRequest, StatementStatus } from '../domain/statement.ts'

/** A wallet and what is available in it, in hundredths. */
export interface Balance extends WalletName {
  available: number
}

/** Schema of a path or a query that may name a country. */
export type CountrySchema = SchemaOf<{ country?: string }>

/** How a generation spells the balances of wallets. */
export interface Balances {
  /** Each path, and where it takes the country from. */
  paths: Array<{ path: string; params?: CountrySchema; query?: CountrySchema }>
  answer: TSchema
  write: (balances: Balance[]) => object
}

/** A statement as it stands at a moment. */
export interface StatementView {
  statement: Statement
  status: StatementStatus
  download?: Download
}

/** How a generation spells statements: how a request is read, how a record is written. */
export interface StatementCodec {
  path: string
  request: TSchema
  read: (body: unknown) => StatementRequest
  answer: TSchema
  record: TSchema
  accepted: (statement: Statement) => object
  write: (view: StatementView) => object
}

/** How a generation spells what it says about money. */
export interface FinanceWire {
  balances: Balances
  statements?: StatementCodec
}
