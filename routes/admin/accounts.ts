import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { Accounts } from '../../src/accounts/registry.ts'
import { createValidator } from '../../src/lib/validator.ts'
import {
  AccountSchema,
  Callbacks,
  origins,
  type Account,
  type AccountSettings,
  type SettingsChanges
} from '../../src/domain/account.ts'
import { mergePatch } from '../../src/lib/merge-patch.ts'
import type { AccountTables } from '../../src/domain/account-tables.ts'
import type { SettingsProblem } from '../../src/accounts/settings-checks.ts'
import type { Ids } from '../../src/lib/ids.ts'
import type { AccountLifecycle } from '../../src/services/account-lifecycle.ts'
import { closed, DateTime, orNull, wordOf } from '../../src/wire/fields.ts'
import { adminCall, AdminError } from './guard.ts'

export interface AccountParts {
  accounts: Accounts
  accountTables: AccountTables
  accountLifecycle: AccountLifecycle
  ids: Ids
}

const { name: Name, ...others } = AccountSchema.properties

const NewAccount = Type.Object(
  { name: Type.Optional(Name), ...others },
  {
    ...closed,
    description: 'the settings of an account',
    examples: [
      {
        name: 'shop',
        companyName: 'Corner Shop',
        callbacks: { deposits: 'http://127.0.0.1:3000/callbacks' },
        wallets: [{ country: 'ZMB', currency: 'ZMW', balance: '500.00' }]
      }
    ]
  }
)

const nullable = (properties: typeof others | typeof Callbacks.properties) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(orNull(schema))])
  )

/** Documented field by field; judged whole, once it is merged. */
const Patch = Type.Object(
  {
    ...nullable(others),
    callbacks: Type.Optional(
      orNull(
        Type.Object(nullable(Callbacks.properties), {
          ...closed,
          description: Callbacks.description
        })
      )
    )
  },
  {
    ...closed,
    description: 'the settings to change; null takes one away',
    examples: [
      {
        callbacks: { deposits: 'http://127.0.0.1:3000/callbacks', payouts: null },
        signedCallbacks: false
      }
    ]
  }
)

export const AccountAnswer = Type.Object(
  {
    name: Type.String(),
    origin: wordOf(...origins),
    settings: AccountSchema,
    patched: Type.Array(Type.String(), {
      description:
        'the settings that were changed while the server ran; they win over those it started ' +
        'with until a reset'
    })
  },
  closed
)

export const AccountList = Type.Object(
  {
    name: Type.String(),
    origin: Type.String({
      enum: [...origins],
      description: 'where it comes from; ledger: it has gone from the configuration'
    }),
    tokens: Type.Array(Type.String()),
    clock: wordOf('running', 'frozen'),
    payments: Type.Integer({ minimum: 0 }),
    lastUsed: Type.Optional(DateTime)
  },
  closed
)

const judge = createValidator(AccountSchema)
const elsewhere = 'GET /__admin/account shows settings as they should look'

/** The accounts there are, and the settings of each. */
export function accountRoutes (
  app: FastifyInstance,
  { accounts, accountTables, accountLifecycle, ids }: AccountParts
): void {
  app.post(
    '/accounts',
    {
      config: adminCall(
        'makeAccount',
        'Make an account',
        'With any setting that the configuration file knows. It is given a name and a token ' +
          'if it has none, and outlives a restart.'
      ),
      schema: { body: NewAccount, response: { 201: AccountAnswer } }
    },
    async (request, reply) => {
      const account = await accounts.createAccount(
        request.body as Static<typeof NewAccount>,
        (name) => ids.token(name)
      )
      if (Array.isArray(account)) throw refusal(account)
      return reply.code(201).send(showAccount(account))
    }
  )

  app.get(
    '/accounts',
    {
      config: adminCall('listAccounts', 'Every account there is'),
      schema: { response: { 200: Type.Object({ accounts: Type.Array(AccountList) }, closed) } }
    },
    async () => {
      const counts = await accountTables.countPayments()
      return {
        accounts: accounts.all.map(({ id, name, origin, settings, clock, lastUsed }) => ({
          name,
          origin,
          tokens: (settings.tokens ?? []).map(({ token }) => token),
          clock: clock.mode,
          payments: counts.get(id) ?? 0,
          lastUsed: lastUsed === undefined ? undefined : new Date(lastUsed).toISOString()
        }))
      }
    }
  )

  app.delete(
    '/accounts/:name',
    {
      config: adminCall(
        'deleteAccount',
        'Take an account away with everything it holds',
        'Callbacks on their way are given up. An account of the configuration cannot be ' +
          'deleted, only reset; one that a sandbox token opened is opened anew by its next ' +
          'request.'
      ),
      schema: {
        params: Type.Object({
          name: Type.String({ description: 'the name of the account', examples: ['shop'] })
        }),
        response: { 204: Type.Null({ description: 'It is gone.' }) }
      }
    },
    async (request, reply) => {
      const { name } = request.params as { name: string }
      const account = accounts.byName(name)
      if (account?.origin === 'configuration') {
        throw new AdminError(
          'CONFLICT',
          `'${name}' is an account of the configuration`,
          'POST /__admin/reset empties it; to be rid of it, take it out of the configuration file'
        )
      }
      if (account === undefined || !(await accountLifecycle.removeAccount(account))) {
        throw new AdminError(
          'NOT_FOUND',
          `there is no account '${name.slice(0, 128)}'`,
          'GET /__admin/accounts lists them'
        )
      }
      return reply.code(204).send()
    }
  )

  app.get(
    '/account',
    {
      config: adminCall('getAccount', 'The settings of this account'),
      schema: { response: { 200: AccountAnswer } }
    },
    async ({ account }) => showAccount(account)
  )

  app.patch(
    '/account',
    {
      config: {
        documentation: {
          id: 'patchAccount',
          tag: 'admin',
          summary: 'Change settings of this account',
          body: Patch,
          description:
            'A JSON merge patch (RFC 7396): what is named is replaced, null takes away, ' +
            'lists are replaced whole. What was changed wins over the configuration, also ' +
            'after a restart, until the account is reset. Opening balances count for wallets ' +
            'that were not used yet.'
        }
      },
      schema: {
        body: Type.Object({}, { additionalProperties: true, description: 'an object of settings' }),
        response: { 200: AccountAnswer }
      }
    },
    async (request) => {
      const { account } = request
      const patched = await readChanges(account, request.body as Record<string, unknown>)
      const flaws = await accounts.changeSettings(account, patched)
      if (flaws.length > 0) throw refusal(flaws)
      return showAccount(account)
    }
  )
}

function showAccount ({ name, origin, settings, patched }: Account): Static<typeof AccountAnswer> {
  return { name, origin, settings, patched: Object.keys(patched) }
}

/** What is changed of an account once a patch is merged: every setting that it names, whole. */
async function readChanges (
  account: Account,
  patch: Record<string, unknown>
): Promise<SettingsChanges> {
  if ('name' in patch && patch.name !== account.name) {
    throw new AdminError(
      'BAD_REQUEST',
      `name cannot be changed: it is '${account.name}'`,
      'POST /__admin/accounts makes another account'
    )
  }
  const merged = mergePatch(account.settings, patch) as AccountSettings
  const problems = judge.all(merged)
  if (problems.length > 0) {
    const { hintFor: advise } = await import('../http/hints.ts')
    throw new AdminError(
      'BAD_REQUEST',
      problems.map(({ message }) => message).join('; '),
      advise(AccountSchema, merged) ?? elsewhere
    )
  }
  const { name: _, ...named } = patch
  return {
    ...account.patched,
    ...Object.fromEntries(
      Object.keys(named).map((name) => [name, merged[name as keyof AccountSettings] ?? null])
    )
  }
}

function refusal (flaws: readonly SettingsProblem[]): AdminError {
  const message = flaws.map(({ field, says }) => `${field} ${says}`).join('; ')
  return new AdminError(
    flaws.some(({ taken }) => taken !== true) ? 'BAD_REQUEST' : 'CONFLICT',
    message,
    flaws.some(({ taken }) => taken)
      ? 'GET /__admin/accounts lists the accounts and their tokens'
      : elsewhere
  )
}
