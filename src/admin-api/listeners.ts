import type { Static } from '@sinclair/typebox'
import { choice, closed, Type } from '../lib/typebox.ts'
import { createEmptyAnswer, HeaderMap, kindNames } from './fields.ts'
import { AdminErrorAnswer } from './errors.ts'

/** Requests and answers of the calls about listeners. */

const longest = 1024

const Conditions = {
  url: Type.String({
    format: 'http-url',
    maxLength: longest,
    description:
      'the URL of the handler; its path replaces that of the callback, unless it is the root',
    examples: ['http://127.0.0.1:3000']
  }),
  host: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9.-]+(:[0-9]{1,5})?$|^\\[[0-9a-fA-F:.]+\\](:[0-9]{1,5})?$',
      maxLength: 255,
      description: 'the Host header that the handler expects, such as shop.example'
    })
  ),
  kinds: Type.Optional(
    Type.Array(choice(kindNames), {
      minItems: 1,
      maxItems: kindNames.length,
      description: 'only callbacks of these kinds'
    })
  ),
  ids: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      minItems: 1,
      maxItems: 100,
      description: 'only callbacks of payments with these identifiers'
    })
  ),
  metadata: Type.Optional(
    Type.Unsafe<Record<string, string>>(
      Type.Object(
        {},
        {
          additionalProperties: Type.String({ maxLength: longest }),
          minProperties: 1,
          maxProperties: 10,
          description: 'only callbacks of payments with these values in their metadata'
        }
      )
    )
  )
}

export const ListenerRequest = Type.Object(Conditions, {
  ...closed,
  description: '{ url, host, kinds, ids, metadata }',
  examples: [{ url: 'http://127.0.0.1:3000', kinds: ['deposit'] }]
})

export const ListenerView = Type.Object(
  {
    id: Type.String({ description: 'the identifier of the listener' }),
    ...Conditions,
    isConnected: Type.Boolean({ description: 'false while its connection is interrupted' }),
    handed: Type.Integer({ description: 'the number of its callbacks so far' })
  },
  closed
)

export const ListenerAdded = Type.Object(
  {
    ...ListenerView.properties,
    timeoutMs: Type.Integer({
      description: 'the time in milliseconds in which an answer must be reported'
    })
  },
  closed
)

export const ListenerList = Type.Object({ listeners: Type.Array(ListenerView) }, closed)

export const ListenerPath = Type.Object({
  id: Type.String({
    pattern: '^[0-9a-f-]{36}$',
    description: 'the identifier of a listener',
    examples: ['0c7f1d5a-8a44-4c0e-9d3e-5b8f6a2d7c11']
  })
})

export const HandlerAnswer = Type.Object(
  {
    n: Type.Integer({ minimum: 1, description: 'the number of the callback' }),
    status: Type.Optional(
      Type.Integer({ minimum: 100, maximum: 599, description: 'the status of the answer' })
    ),
    headers: Type.Optional(HeaderMap),
    body: Type.Optional(
      Type.String({ maxLength: 2048, description: 'the beginning of the body of the answer' })
    ),
    error: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: longest,
        description: 'why there is no answer, instead of a status'
      })
    )
  },
  { ...closed, description: '{ n, status, headers, body } or { n, error }' }
)

export const HandlerAnswerTaken = Type.Object(
  {
    taken: Type.Boolean({
      description: 'false if the answer came too late, or for the second time'
    })
  },
  closed
)

export const ListenerStream = {
  200: {
    description:
      'A stream of server-sent events: `callback`, with `n`, `method`, `path`, `headers` and ' +
      '`body` (base64 of the bytes). The id of an event is `n`.',
    content: { 'text/event-stream': { schema: Type.String() } }
  },
  404: AdminErrorAnswer,
  503: AdminErrorAnswer
}

export const ListenerRemoved = { 204: createEmptyAnswer('The listener is removed.') }

export type ListenerRequest = Static<typeof ListenerRequest>
export type ListenerAdded = Static<typeof ListenerAdded>
export type HandlerAnswer = Static<typeof HandlerAnswer>
