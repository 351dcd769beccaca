import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import { answerWord, closed, describe, orNull, Type } from '../lib/typebox.ts'
import { origins } from '../domain/account.ts'
import {
  type AccountSettings,
  AccountSchema,
  Callbacks,
  WrittenAccount,
  WrittenCallbacks
} from '../domain/account-settings.ts'
import { DateTime } from '../wire/fields.ts'

/** Requests and answers of the calls about accounts. */

const { name: Name, ...settings } = WrittenAccount.properties

export const AccountPath = Type.Object({
  name: Type.String({ description: 'the name of the account', examples: ['shop'] })
})

export const NewAccount = Type.Object(
  { name: Type.Optional(Name), ...settings },
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

/** Settings to change, as the reference documents them. The merged settings are validated. */
export const AccountPatch = Type.Object(
  {
    ...allowNulls(settings),
    callbacks: Type.Optional(
      Type.Union(
        [
          WrittenCallbacks.anyOf[0],
          Type.Object(allowNulls(Callbacks.properties), {
            ...closed,
            description: Callbacks.description
          }),
          Type.Null()
        ],
        { description: WrittenCallbacks.description }
      )
    )
  },
  {
    ...closed,
    description: 'the settings to change; null removes a setting',
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
    name: Type.String({ description: 'the name of the account' }),
    origin: describe('where the account comes from', answerWord(...origins)),
    settings: AccountSchema,
    patched: Type.Array(Type.String(), {
      description:
        'the settings that were changed at run time; they override the configuration until a reset'
    })
  },
  closed
)

/** Settings of an account, and where they come from. */
export interface Account extends Static<typeof AccountAnswer> {}

export const AccountSummary = Type.Object(
  {
    name: Type.String({ description: 'the name of the account' }),
    number: Type.Integer({ description: 'the number of the account in the log' }),
    origin: Type.Unsafe<(typeof origins)[number]>(
      Type.String({
        enum: [...origins],
        description: 'where the account comes from; ledger: no longer in the configuration'
      })
    ),
    tokens: describe('its tokens', Type.Array(Type.String())),
    clock: describe('whether its clock runs or stands', answerWord('running', 'frozen')),
    payments: Type.Integer({ minimum: 0, description: 'the number of its payments' }),
    lastUsed: Type.Optional(DateTime),
    setAside: Type.Optional(
      Type.String({
        description: 'why the account cannot be read; a reset or a restore replaces what it has'
      })
    )
  },
  closed
)

/** Account in the list of all accounts. */
export interface ListedAccount extends Static<typeof AccountSummary> {}

export const AccountList = Type.Object({ accounts: Type.Array(AccountSummary) }, closed)

/** Makes every field optional and nullable. */
function allowNulls (properties: TProperties): TObject<Record<string, TSchema>>['properties'] {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(orNull(schema))])
  )
}

/** Settings of a new account. */
export interface NewAccountSettings extends Partial<Static<typeof WrittenAccount>> {}

/** Settings to change: a named setting is replaced, null removes it. */
export type AccountChanges = {
  // Not `in Exclude<…>`: editors would not show the texts of the fields.
  [Name in keyof AccountSettings as Exclude<Name, 'name' | 'callbacks'>]?:
    AccountSettings[Name] | null
} & {
  /** One URL for all kinds, or one for each kind. */
  callbacks?:
    string | { [Kind in keyof NonNullable<AccountSettings['callbacks']>]?: string | null } | null
}
