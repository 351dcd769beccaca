import type { Static } from '@sinclair/typebox'
import {
  AccountAnswer,
  AccountList,
  AccountPatch,
  AccountPath,
  NewAccount
} from '../../src/admin-api/accounts.ts'
import { createEmptyAnswer, createOpenObject } from '../../src/admin-api/fields.ts'
import type { SettingsProblem } from '../../src/accounts/settings-checks.ts'
import { type Account, type SettingsChanges } from '../../src/domain/account.ts'
import { readSettings, WrittenAccount } from '../../src/domain/account-settings.ts'
import type { AccountRows } from '../../src/ports/stores.ts'
import { originalClock } from '../../src/lib/clock.ts'
import { mergePatch } from '../../src/lib/merge-patch.ts'
import { createValidator } from '../../src/lib/validator.ts'
import { findUsedOpenings } from '../../src/services/wallet-control.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

const accountValidator = createValidator(WrittenAccount)
const settingsHint = 'GET /__admin/account shows valid settings'

/** Calls about accounts: create, list, delete, and the settings of one. */
export function accountRoutes (app: TypedApp, parts: AdminParts): void {
  addCreateRoute(app, parts)
  addListRoute(app, parts)
  addDeleteRoute(app, parts)
  addSettingsRoutes(app, parts)
}

function addCreateRoute (app: TypedApp, { accounts, ids }: AdminParts): void {
  app.post(
    '/accounts',
    {
      config: {
        ...adminCall(
          'makeAccount',
          'Create an account',
          'With any setting of the configuration file. An account without a name or a token gets ' +
            'one. The account is kept across restarts.'
        ),
        errors: [409]
      },
      schema: { body: NewAccount, response: { 201: AccountAnswer } }
    },
    async (request, reply) => {
      const settings = readSettings(request.body)
      const account = await accounts.createAccount(settings, (name) => ids.token(name))
      if (Array.isArray(account)) throw settingsError(account)
      return reply.code(201).send(showAccount(account))
    }
  )
}

function addListRoute (app: TypedApp, { accounts, accountTables }: AdminParts): void {
  app.get(
    '/accounts',
    {
      config: adminCall('listAccounts', 'List all accounts'),
      schema: { response: { 200: AccountList } }
    },
    async () => {
      const listed: Array<Static<typeof AccountList>['accounts'][number]> = []
      await accounts.refresh()
      // One after the other, so that other requests do not wait for all of them.
      for (const account of accounts.all) {
        const { id, name, origin, settings, clock, lastUsed, setAside } = account
        listed.push({
          name,
          number: id,
          origin,
          tokens: (settings.tokens ?? []).map(({ token }) => token),
          clock: originalClock(clock).mode,
          payments: await accountTables.countRows('payments', id),
          lastUsed: lastUsed === undefined ? undefined : new Date(lastUsed).toISOString(),
          setAside
        })
      }
      return { accounts: listed }
    }
  )
}

function addDeleteRoute (app: TypedApp, { accounts, accountLifecycle }: AdminParts): void {
  app.delete(
    '/accounts/:name',
    {
      config: {
        ...adminCall(
          'deleteAccount',
          'Delete an account with everything in it',
          'Undelivered callbacks are dropped. An account of the configuration cannot be deleted, ' +
            'only reset. The account of a sandbox token is created again by its next request.'
        ),
        errors: [404, 409]
      },
      schema: {
        params: AccountPath,
        response: { 204: createEmptyAnswer('The account was deleted.') }
      }
    },
    async (request, reply) => {
      const { name } = request.params
      const account = accounts.byName(name)
      if (account?.origin === 'configuration') {
        throw new AdminError(
          'CONFLICT',
          `account '${name}' is part of the configuration`,
          'POST /__admin/reset empties it; to delete it, remove it from the configuration file'
        )
      }
      if (account === undefined || !(await accountLifecycle.removeAccount(account))) {
        throw new AdminError(
          'NOT_FOUND',
          `there is no account '${name.slice(0, 128)}'`,
          'GET /__admin/accounts lists all accounts'
        )
      }
      return reply.code(204).send()
    }
  )
}

function addSettingsRoutes (app: TypedApp, { accounts }: AdminParts): void {
  app.get(
    '/account',
    {
      config: adminCall('getAccount', 'Show the settings of this account'),
      schema: { response: { 200: AccountAnswer } }
    },
    async ({ account }) => showAccount(account)
  )

  app.patch(
    '/account',
    {
      config: {
        errors: [409],
        documentation: {
          id: 'patchAccount',
          tag: 'admin',
          summary: 'Change settings of this account',
          body: AccountPatch,
          description:
            'A JSON merge patch (RFC 7396): a named setting is replaced, null removes it, lists ' +
            'are replaced as a whole. Changes override the configuration, also after a restart, ' +
            'until the account is reset. The opening balance of a wallet that was used cannot be ' +
            'changed: PUT /__admin/wallets/{country}/{currency} sets its money.'
        }
      },
      schema: {
        body: createOpenObject('an object of settings'),
        response: { 200: AccountAnswer }
      }
    },
    async ({ account, body }) => {
      const merge = (current: Account): SettingsChanges => mergeChanges(current, body)
      try {
        // A wrong patch is refused before it waits for its turn.
        merge(account)
        const problems = await accounts.changeSettings(account, merge, (changes, rows) => {
          if (body.wallets !== undefined) refuseUsedWallets(account, changes, rows)
        })
        if (problems.length > 0) throw settingsError(problems)
      } catch (error) {
        throw error instanceof InvalidSettings ? await error.explain() : error
      }
      return showAccount(account)
    }
  )
}

function showAccount ({ name, origin, settings, patched }: Account): Static<typeof AccountAnswer> {
  return { name, origin, settings, patched: Object.keys(patched) }
}

/** Error for settings that do not follow their schema. */
class InvalidSettings extends Error {
  override name = 'InvalidSettings'
  readonly #settings: unknown

  constructor (settings: unknown) {
    super('the settings do not follow their schema')
    this.#settings = settings
  }

  /** Returns the error for the caller. */
  async explain (): Promise<AdminError> {
    const { hintFor } = await import('../http/hints.ts')
    const problems = accountValidator.all(this.#settings)
    return new AdminError(
      'BAD_REQUEST',
      problems.map(({ message }) => message).join('; '),
      hintFor(WrittenAccount, this.#settings) ?? settingsHint
    )
  }
}

/** Merges a patch into the changes of an account; each setting in the patch is replaced whole. */
function mergeChanges (account: Account, patch: Record<string, unknown>): SettingsChanges {
  if ('name' in patch && patch.name !== account.name) {
    throw new AdminError(
      'BAD_REQUEST',
      `name cannot be changed: it is '${account.name}'`,
      'POST /__admin/accounts creates another account'
    )
  }
  const merged = mergePatch(account.settings, patch)
  if (!accountValidator.check(merged)) throw new InvalidSettings(merged)
  const { name: _, ...named } = patch
  const values = new Map<string, unknown>(Object.entries(readSettings(merged)))
  return {
    ...account.patched,
    ...Object.fromEntries(Object.keys(named).map((name) => [name, values.get(name) ?? null]))
  }
}

/** Refuses a new opening balance of a wallet that was used: it would have no effect. */
function refuseUsedWallets (
  { settings }: Account,
  { wallets }: SettingsChanges,
  { usedWallets }: AccountRows
): void {
  const used = findUsedOpenings(settings, wallets ?? [], usedWallets)
  if (used.length === 0) return
  const [{ country, currency, balance }] = used
  const names = used.map((wallet) => `${wallet.country} ${wallet.currency}`).join(' and ')
  throw new AdminError(
    'CONFLICT',
    `wallets changes the opening balance of ${names}, but money was already moved there`,
    `PUT /__admin/wallets/${country}/${currency} with { "available": "${balance}" } sets the money`
  )
}

function settingsError (problems: readonly SettingsProblem[]): AdminError {
  return new AdminError(
    problems.every(({ taken }) => taken === true) ? 'CONFLICT' : 'BAD_REQUEST',
    problems.map(({ field, says }) => `${field} ${says}`).join('; '),
    problems.some(({ taken }) => taken)
      ? 'GET /__admin/accounts lists the accounts and their tokens'
      : settingsHint
  )
}
