import type { FastifyRequest } from 'fastify'
import type { Accounts } from '../accounts/registry.ts'
import { isSandboxToken } from '../accounts/sandbox-tokens.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { PageSessions, StatementStore } from '../ports/stores.ts'
import type { Keys } from '../security/keys.ts'
import { Refused } from '../domain/refusal.ts'
import { readSinkOwner, sinkOwnerHeader } from '../security/sink-links.ts'
import { readBearer } from '../lib/secrets.ts'

/** Where links lead. */
export interface LocateParts {
  accounts: Accounts
  keys: Keys
  ledger: Pick<Ledger, 'findByCode'>
  pageSessions: Pick<PageSessions, 'findSession'>
  statements: Pick<StatementStore, 'findByLink'>
}

type Find = (parts: LocateParts, request: FastifyRequest, named: string) => Promise<
  number | undefined
>

const byCode: Find = async ({ ledger }, _request, code) =>
  (await ledger.findByCode(code))?.payment.account
const byName: Find = async ({ accounts }, _request, name) => await findName(accounts, name)

/** Addresses that name their account, with the part that leads to it. */
const links: ReadonlyArray<[address: RegExp, find: Find]> = [
  [/^\/(?:checkout|authorise)\/([^/?]+)/, byCode],
  [
    /^\/pay\/([^/?]+)/,
    async ({ pageSessions }, _request, token) =>
      (await pageSessions.findSession(token))?.account
  ],
  [
    /^\/v2\/statements\/([^/?]+)\/files\//,
    async ({ statements }, _request, id) => (await statements.findByLink(id))?.account
  ],
  [
    /^\/__admin\/sink\/([^/?]+)/,
    async ({ keys }, { headers }) => readSinkOwner(keys, headers[sinkOwnerHeader])
  ],
  // The key of a link to a phone begins with the number of the account.
  [/^\/__admin\/phone\/.*[?&]key=(\d{1,9})\./, async (_parts, _request, id) => Number(id)],
  [/^\/__admin\/ui(?:\/[^?]*)?\?(?:.*&)?account=([^&]+)/, byName],
  [/^\/__admin\/exam\?(?:.*&)?account=([^&]+)/, byName]
]
const deletion = /^\/__admin\/accounts\/([^/?]+)/

/** Tells whether an address may name its account. */
export function isLink (url: string): boolean {
  return !/^\/(v2\/(?!statements)|deposits|payouts|refunds)/.test(url)
}

/** Finds the number of the account of a request. Without a known one, it is the default account. */
export async function locateAccount (
  parts: LocateParts,
  request: FastifyRequest,
  isFresh: boolean
): Promise<number> {
  const { accounts } = parts
  const { method, headers } = request
  const url = request.url.replace(/\/{2,}/g, '/')
  for (const [address, find] of links) {
    const [, named] = address.exec(url) ?? []
    const found = named === undefined ? undefined : await find(parts, request, decode(named))
    if (found !== undefined) return found
  }
  const [, deleted] = (method === 'DELETE' && deletion.exec(url)) || []
  const named = deleted === undefined ? undefined : await findName(accounts, decode(deleted))
  return named ?? (await findToken(accounts, headers.authorization, isFresh)) ?? accounts.default.id
}

async function findToken (
  accounts: Accounts,
  authorization: string | undefined,
  isFresh: boolean
): Promise<number | undefined> {
  const token = readBearer(authorization)
  if (token === undefined) return undefined
  const known = await accounts.findToken(token, isFresh)
  if (known !== undefined || !isSandboxToken(token)) return known
  // Its first use opens an account. If that is refused, whoever answers says so.
  try {
    return (await accounts.findCaller(token))?.account.id
  } catch (error) {
    if (error instanceof Refused) return undefined
    throw error
  }
}

async function findName (accounts: Accounts, name: string): Promise<number | undefined> {
  if (accounts.byName(name) === undefined) await accounts.refresh()
  return accounts.byName(name)?.id
}

function decode (text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
