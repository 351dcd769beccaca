import type { Static } from '@sinclair/typebox'
import { choice, createName, text, Type } from '../lib/typebox.ts'
import { amountStyles } from './amount.ts'
import type { CallbackKey } from './kinds.ts'
import { kinds, operations } from './kinds.ts'
import type { CountryCode, ProviderCode } from './provider-code.ts'

/** Settings of an account: the format in the configuration and in the admin API. */

/** What becomes of payments that nothing else decides. */
export const profiles = ['calm', 'production'] as const

export const permissions = ['read', 'initiate', 'act'] as const
export type Permission = (typeof permissions)[number]

const Url = (description: string) => Type.String({ format: 'http-url', description })
const OperationName = choice(operations)

export const Token = Type.Object(
  {
    token: Type.String({
      minLength: 1,
      maxLength: 4096,
      pattern: '^[!-~]+$',
      description: 'the bearer token, without spaces'
    }),
    allow: Type.Optional(
      Type.Array(choice(permissions), {
        description: `a list of ${permissions.join(', ')}; everything when left out`
      })
    )
  },
  { additionalProperties: false, description: 'a token and what it may do' }
)

const PlaceCode = Type.Unsafe<ProviderCode | CountryCode>(
  Type.String({ description: 'a provider code, or a country code for all its providers' })
)

const CallbackUrl = Type.Optional(Url('an http or https URL'))

export const Callbacks = Type.Object(
  Object.fromEntries(Object.values(kinds).map(({ callback }) => [callback, CallbackUrl])) as Record<
    CallbackKey,
    typeof CallbackUrl
  >,
  { additionalProperties: false, description: 'the URL callbacks of each kind are sent to' }
)

const callbacksText = 'the URL of the callbacks of all kinds, or an object with one for each kind'

/** Callback URLs as people write them. */
export const WrittenCallbacks = Type.Union([Url('an http or https URL'), Callbacks], {
  description: callbacksText
})

/** Money in a wallet. */
export const Balance = Type.String({
  pattern: '^(0|[1-9][0-9]{0,11})([.][0-9]{1,2})?$',
  description: 'an amount in quotes, such as "1000.00"'
})

export const AccountSchema = Type.Object(
  {
    name: createName(128),
    companyName: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: '1 to 100 characters; shown to customers'
      })
    ),
    tokens: Type.Optional(Type.Array(Token, { description: 'a list of { token, allow }' })),
    callbacks: Type.Optional(Callbacks),
    approval: Type.Optional(
      choice(['timer', 'phone'], {
        description:
          "'timer', or 'phone': deposits that would complete by themselves wait for their customer"
      })
    ),
    profile: Type.Optional(
      choice(profiles, {
        description:
          "'calm': payments complete within a second; 'production': customers take their time, " +
          'some payments fail, some callbacks are late or come twice, and providers have outages'
      })
    ),
    amounts: Type.Optional(
      Type.Union(
        [
          ...amountStyles.map((style) => Type.Literal(style)),
          Type.Object(
            {
              records: Type.Optional(choice(amountStyles)),
              callbacks: Type.Optional(choice(amountStyles))
            },
            { additionalProperties: false }
          )
        ],
        {
          description:
            "'two' decimals, 'four' decimals, or 'sent': how records and callbacks print " +
            'amounts; { records, callbacks } sets one for each'
        }
      )
    ),
    signedRequestsOnly: Type.Optional(
      Type.Boolean({ description: 'true or false; true refuses unsigned requests' })
    ),
    signedCallbacks: Type.Optional(
      Type.Boolean({ description: 'true or false; false sends callbacks unsigned' })
    ),
    callbackSource: Type.Optional(
      Type.String({
        format: 'ipv4',
        description:
          'an IPv4 address such as 3.64.89.224: callbacks carry it in X-Forwarded-For, as the ' +
          'source address that a firewall of the merchant checks'
      })
    ),
    callbackClientReference: Type.Optional(
      Type.Boolean({
        description: 'true or false; false leaves clientReferenceId out of callbacks'
      })
    ),
    authErrors: Type.Optional(
      choice(['given', 'public'], {
        description:
          "'given': 401 AUTHENTICATION_ERROR without a known token; 'public', as other pages of " +
          'the service say: 401 NO_AUTHENTICATION without a token, 403 AUTHENTICATION_ERROR with ' +
          'an unknown one. v2 only; the default account decides, because such a request has no ' +
          'account'
      })
    ),
    signatureEncoding: Type.Optional(
      choice(['der', 'p1363'], {
        description: "'der', or 'p1363' for r||s: how our ECDSA signatures are written"
      })
    ),
    acceptedSignatureEncoding: Type.Optional(
      choice(['both', 'der'], {
        description: "'both', or 'der' to refuse ECDSA signatures written as r||s"
      })
    ),
    publicKeys: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: text('the keyid of the signatures made with it'),
            key: text('a PEM public key')
          },
          { additionalProperties: false }
        ),
        { description: 'a list of { id, key }' }
      )
    ),
    operations: Type.Optional(
      Type.Array(
        Type.Union(
          [...operations, 'SPLIT_PAYMENT' as const].map((name) => Type.Literal(name)),
          { description: `one of ${operations.join(', ')}, SPLIT_PAYMENT` }
        ),
        { description: 'the operations switched on; all when left out' }
      )
    ),
    providers: Type.Optional(
      Type.Array(
        Type.Union(
          [
            PlaceCode,
            Type.Object(
              {
                provider: PlaceCode,
                operations: Type.Optional(
                  Type.Array(OperationName, {
                    examples: [['DEPOSIT', 'PAYOUT']],
                    description: 'a list of operations; all of the account when left out'
                  })
                )
              },
              { additionalProperties: false }
            )
          ],
          { description: 'a provider or country code, or { provider, operations }' }
        ),
        {
          description:
            'the providers and countries switched on, all when left out; the row of a provider ' +
            'counts before that of its country'
        }
      )
    ),
    wallets: Type.Optional(
      Type.Array(
        Type.Object(
          {
            country: Type.String({ pattern: '^[A-Z]{3}$', description: 'an alpha-3 country code' }),
            currency: Type.String({
              pattern: '^[A-Z]{3}$',
              description: 'a three-letter currency code'
            }),
            balance: Balance
          },
          { additionalProperties: false }
        ),
        { description: 'opening balances, a list of { country, currency, balance }' }
      )
    )
  },
  { additionalProperties: false, description: 'an account' }
)

export type AccountSettings = Static<typeof AccountSchema>

/** An account as the configuration and the admin API take it. */
export const WrittenAccount = Type.Object(
  { ...AccountSchema.properties, callbacks: Type.Optional(WrittenCallbacks) },
  { additionalProperties: false, description: 'an account' }
)
type Written = Static<typeof WrittenAccount>

/** Reads settings: one callback URL is that of all kinds. */
export function readSettings<T extends Partial<Written>> (
  written: T
): Omit<T, 'callbacks'> & Pick<AccountSettings, 'callbacks'> {
  const { callbacks, ...rest } = written
  if (callbacks === undefined) return rest
  return { ...rest, callbacks: typeof callbacks === 'string' ? toAllKinds(callbacks) : callbacks }
}

/** One URL for the callbacks of all kinds. */
export function toAllKinds (url: string): Required<Static<typeof Callbacks>> {
  return Object.fromEntries(
    Object.values(kinds).map(({ callback }) => [callback, url])
  ) as Required<Static<typeof Callbacks>>
}
