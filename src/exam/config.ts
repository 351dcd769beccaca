import type { Static } from '@sinclair/typebox'
import { Duration, Type } from './mock.ts'
import { closed, text } from '../lib/typebox.ts'

/** Schema of exam.yaml. */

const Path = (what: string) =>
  Type.String({ pattern: '^\\$', description: `a JSONPath such as $.${what}` })
const Text = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

/** A value of a body may hold variables at any depth. */
const Body = Type.Union(
  [Type.String(), Type.Object({}, { additionalProperties: true }), Type.Array(Type.Unknown())],
  {
    description: 'a text, an object or a list; objects and lists are sent as JSON'
  }
)

const Http = Type.Object(
  {
    method: Type.Optional(
      Type.String({ pattern: '^[A-Z]+$', description: 'a method such as POST' })
    ),
    url: Type.String({ pattern: '^https?://', description: 'an http or https URL' }),
    headers: Type.Optional(
      Type.Record(Type.String(), Text, { description: 'headers by their names' })
    ),
    body: Type.Optional(Body),
    form: Type.Optional(Type.Record(Type.String(), Text, { description: 'fields of a form' }))
  },
  { ...closed, description: '{ method, url, headers, body, form }' }
)

const action = {
  http: Type.Optional(Http),
  command: Type.Optional(text('a command for the shell'))
}

/** A request or a command. */
export const ActionSchema = Type.Object(action, {
  ...closed,
  minProperties: 1,
  description: '{ http } or { command }'
})

const DriveSchema = Type.Object(
  {
    ...action,
    reference: Type.Optional(Path('orderId'))
  },
  { ...closed, minProperties: 1, description: '{ http, reference } or { command, reference }' }
)

const fields = {
  paid: Type.Optional(Path('paid')),
  amount: Type.Optional(Path('amount')),
  effects: Type.Optional(Path('effects')),
  failed: Type.Optional(Path('failed'))
}

const ObserveKind = Type.Object(
  { ...action, ...fields },
  { ...closed, description: '{ http or command, paid, amount, effects, failed }' }
)

export const ConfigSchema = Type.Object(
  {
    callback: Type.String({
      pattern: '^https?://',
      description: 'the http or https URL where the application takes callbacks'
    }),
    mock: Type.Optional(
      Type.Object(
        {
          port: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 65535,
              description: 'a port from 0 to 65535; 0 picks a free one'
            })
          ),
          host: Type.Optional(
            text('the address to listen on')
          ),
          token: Type.Optional(
            Type.String({
              pattern: '^[!-~]+$',
              description: 'the API token of the application, without spaces'
            })
          ),
          url: Type.Optional(
            Type.String({
              pattern: '^https?://',
              description: 'the URL of a mock that runs already'
            })
          ),
          adminToken: Type.Optional(
            text('the admin token of that mock')
          )
        },
        { ...closed, description: '{ port, host, token, url, adminToken }' }
      )
    ),
    start: Type.Optional(
      Type.Object(
        {
          command: text('the command that starts the application'),
          ready: Type.String({
            pattern: '^https?://',
            description: 'a URL that answers once the application is up'
          }),
          restart: Type.Optional(
            Type.Boolean({ description: 'true: it is started again for each check' })
          ),
          timeout: Type.Optional(Duration),
          env: Type.Optional(
            Type.Record(Type.String(), Text, { description: 'more variables for it' })
          )
        },
        { ...closed, description: '{ command, ready, restart, timeout, env }' }
      )
    ),
    values: Type.Optional(
      Type.Object(
        {
          amount: Type.Optional(
            Type.String({ pattern: '^[0-9]+([.][0-9]+)?$', description: 'an amount such as "15"' })
          ),
          currency: Type.Optional(
            Type.String({ pattern: '^[A-Z]{3}$', description: 'a currency code' })
          ),
          phoneNumber: Type.Optional(
            Type.String({
              pattern: '^[0-9]+$',
              description: 'a phone number in quotes, digits only'
            })
          ),
          provider: Type.Optional(
            Type.String({ pattern: '^[A-Z0-9_]+$', description: 'a provider code' })
          )
        },
        { ...closed, description: '{ amount, currency, phoneNumber, provider }' }
      )
    ),
    drive: Type.Optional(
      Type.Object(
        {
          deposit: Type.Optional(DriveSchema),
          payout: Type.Optional(DriveSchema),
          refund: Type.Optional(DriveSchema),
          checkout: Type.Optional(DriveSchema),
          retry: Type.Optional(DriveSchema)
        },
        { ...closed, description: '{ deposit, payout, refund, checkout, retry }' }
      )
    ),
    observe: Type.Optional(
      Type.Object(
        {
          ...action,
          ...fields,
          payout: Type.Optional(ObserveKind),
          refund: Type.Optional(ObserveKind)
        },
        {
          ...closed,
          description: '{ http or command, paid, amount, effects, failed, payout, refund }'
        }
      )
    ),
    settle: Type.Optional(Duration),
    patience: Type.Optional(Duration),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'how many payments END-04 makes, 1 to 1000'
      })
    ),
    hooks: Type.Optional(
      Type.Object(
        {
          before: Type.Optional(ActionSchema),
          break: Type.Optional(ActionSchema),
          mend: Type.Optional(ActionSchema)
        },
        { ...closed, description: '{ before, break, mend }' }
      )
    ),
    expect: Type.Optional(
      Type.Record(Type.String(), Type.String({ description: 'why it is accepted' }), {
        description: 'known findings: an id with the reason'
      })
    ),
    hostsThatAreMine: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        description: 'hosts outside of this network that are yours'
      })
    )
  },
  { ...closed, description: 'the configuration of an exam' }
)

export type ExamConfig = Static<typeof ConfigSchema>
export type Action = Static<typeof ActionSchema>
export type DriveConfig = Static<typeof DriveSchema>
export type ObserveConfig = Static<typeof ObserveKind>
export type DriveName = keyof NonNullable<ExamConfig['drive']>
