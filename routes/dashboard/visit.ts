import type { Account } from '../../src/domain/account.ts'
import type { AdminAnswer, AdminCall } from './admin-call.ts'
import type { Fields } from './actions.ts'
import type { SampleRequest } from './code-samples.ts'
import type { ActionResult } from '../../src/services/action-results.ts'

/** One request of a visitor for a page of the dashboard. */
export interface Visit {
  /** Path of the page below the prefix of the dashboard. */
  path: string
  query: Fields
  account: Account
  accounts: readonly Account[]
  /** May the visitor use the dashboard, or must the admin token come first? */
  hasAccess: boolean
  /** Why everybody can control this server, and what to do. */
  warning: string | undefined
  /** Result of the action before this page. */
  result: ActionResult | undefined
  /** Time of the account's clock. */
  now: number
  /** Address of the phone of a number, for the prompts of one deposit or for all. */
  phone: (phoneNumber: string, depositId?: string) => string
  /** Name of a country by its code. */
  countryName: (code: string) => string
  /** Identifier for a new payment on the page. */
  freshId: string
  /** Beginning of the URLs of this server. */
  base: string
  /** Makes an admin call as the account. */
  ask: (call: AdminCall) => Promise<AdminAnswer>
  /** Writes a request to the payments API for code in any language. */
  sample: (call: AdminCall) => SampleRequest
  /** Writes an admin call as a curl command. */
  curl: (call: AdminCall) => string
}

/** Prefix of the dashboard. */
export const home = '/__admin/ui'

/** Address of a page of the dashboard that keeps the account of the visitor. */
export function linkTo (
  { account }: Pick<Visit, 'account'>,
  path: string,
  query: Fields = {}
): string {
  const search = new URLSearchParams({
    ...(account.name !== 'default' && { account: account.name }),
    ...query
  }).toString()
  return `${home}${path}${search === '' ? '' : `?${search}`}`
}
