import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Accounts } from '../../src/accounts/registry.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import { kinds } from '../../src/domain/kinds.ts'
import type { SystemClock } from '../../src/lib/clock.ts'
import type { Ids } from '../../src/lib/ids.ts'
import { findOpenAdmin, type Reach } from '../../src/security/open-admin.ts'
import type { Journal } from '../../src/monitoring/request-journal.ts'
import type { ActionResults } from '../../src/services/action-results.ts'
import { AdminError } from '../admin/errors.ts'
import type { EventStreams } from '../http/sse.ts'
import { readTexts } from '../http/forms.ts'
import { createPhoneLink } from '../http/phone-link.ts'
import { hasAccess } from './access.ts'
import type { AccountVersions } from '../../src/monitoring/account-versions.ts'
import { callAdmin, writeCurl, type AdminCall, type AdminTokens } from './admin-call.ts'
import { home, type Visit } from './visit.ts'

/** Parts of the dashboard. */
export interface DashboardParts extends Reach {
  log: Logger
  accounts: Accounts
  systemClock: SystemClock
  eventStreams: EventStreams
  journal: Pick<Journal, 'total'>
  links: { base: string; listening: string }
  /** Server of the payments API and the admin API, for the calls of the dashboard. */
  api: Pick<FastifyInstance, 'inject'>
  ids: Ids
  actionResults: ActionResults
  catalogue: Pick<Catalogue, 'countries'>
  accountVersions: AccountVersions
  /** Problem of the files that `momock start --watch` has read again. */
  scenarioLibrary: { problem: string | undefined }
}

/** Options of a route of the dashboard: not documented, and open without the admin token. */
export const openRoute = { config: { documentation: 'hidden' as const, isOpen: true } }

/** Longest field of a form: a scenario is a text of many lines. */
export const longestField = 20_000

/** Reads the path of a page, as the router reads it: without doubled slashes and one at the end. */
function readPath (url: string): string {
  const [path] = url.split('?', 1)
  return path.replace(/\/{2,}/g, '/').replace(/\/$/, '').slice(home.length)
}

/** Reads who visits, and which account is shown. */
export function findVisit (parts: DashboardParts, request: FastifyRequest): Visit {
  const { accounts, links, adminToken, ids } = parts
  const open = findOpenAdmin(parts)
  // A form that is checked while somebody types is too long for an address.
  const query = { ...readTexts(request.query), ...readTexts(request.body, longestField) }
  const account = query.account === undefined ? accounts.default : accounts.byName(query.account)
  if (account === undefined) {
    throw new AdminError(
      'NOT_FOUND',
      `there is no account '${query.account}'`,
      'the menu "Account" of the dashboard lists all accounts, and so does GET /__admin/accounts'
    )
  }
  const merchant = account.settings.tokens?.[0]?.token
  const tokens: AdminTokens = {
    // The default account needs none.
    account: account === accounts.default ? undefined : merchant,
    merchant,
    admin: adminToken
  }
  return {
    path: readPath(request.url),
    query,
    account,
    accounts: accounts.all,
    hasAccess: hasAccess(request, adminToken),
    warning: parts.scenarioLibrary.problem ?? (open && `${open.problem}; ${open.fix}`),
    result: query.result === undefined ? undefined : parts.actionResults.find(query.result),
    now: accounts.now(account),
    phone: (phoneNumber, depositId) =>
      createPhoneLink(
        ids,
        account,
        phoneNumber,
        depositId === undefined ? undefined : { kind: kinds.deposit, id: depositId }
      ).url,
    countryName: (code) => parts.catalogue.countries.get(code)?.displayName.en ?? code,
    freshId: randomUUID(),
    base: links.base,
    ask: (call: AdminCall) => callAdmin(parts, call, tokens),
    curl: (call: AdminCall) => writeCurl(links.base, call, tokens),
    sample: ({ path, headers, body }: AdminCall) => ({
      url: links.base + path,
      headers: {
        Authorization: `Bearer ${tokens.merchant ?? ''}`,
        'Content-Type': 'application/json',
        ...headers
      },
      body: JSON.stringify(body, null, 2)
    })
  }
}
