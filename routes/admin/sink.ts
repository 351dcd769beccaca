import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import { Duration, parseDuration } from '../../src/lib/duration.ts'
import type {
  SinkOrders,
  ReceivedCallback,
  SinkAnswer,
  CallbackSinks
} from '../../src/services/callback-sinks.ts'
import { closed, DateTime } from '../../src/wire/fields.ts'
import { addBodyParser } from '../http/body.ts'
import { pause } from '../http/pause.ts'
import { adminCall, AdminError, AdminFailure } from './guard.ts'
import { PageLimit, readLimit } from './paging.ts'

const longestDelayMs = 60_000

const Status = Type.Integer({
  minimum: 200,
  maximum: 599,
  description: 'an HTTP status from 200 to 599'
})
const Answer = Type.Union(
  [Status, Type.Object({ status: Type.Optional(Status), delay: Type.Optional(Duration) }, closed)],
  { description: 'a status such as 500, or { status, delay }' }
)
const Answers = Type.Array(Answer, {
  maxItems: 1000,
  description: 'a list of answers, one for each of the next callbacks, such as [500, 200]'
})
export const OrderRequest = Type.Union(
  [
    Answers,
    Type.Object(
      {
        answers: Type.Optional(Answers),
        delay: Type.Optional(Duration),
        then: Type.Optional(Answer)
      },
      { ...closed, minProperties: 1 }
    )
  ],
  {
    description:
      'a list of answers such as [500, 200], or { answers, delay, then }: `delay` is for ' +
      'every answer that has none of its own, `then` is what comes after the list (200)',
    examples: [[500, 200]]
  }
)

export const OrderAnswer = Type.Object(
  {
    url: Type.String({ description: 'where callbacks should be sent' }),
    answers: Type.Array(Type.Object({ status: Type.Integer(), delayMs: Type.Integer() }, closed)),
    then: Type.Object({ status: Type.Integer(), delayMs: Type.Integer() }, closed)
  },
  closed
)

export const Inbox = Type.Object(
  {
    ...OrderAnswer.properties,
    received: Type.Integer({
      minimum: 0,
      description: 'how many have come in; the last 1,000 are kept'
    }),
    callbacks: Type.Array(
      Type.Object(
        {
          n: Type.Integer({ minimum: 1 }),
          at: Type.String({ ...DateTime, description: "when it came, by the machine's clock" }),
          method: Type.String(),
          path: Type.String(),
          headers: Type.Object(
            {},
            { additionalProperties: Type.Union([Type.String(), Type.Array(Type.String())]) }
          ),
          body: Type.Unknown({ description: 'JSON, or the text where it is none' }),
          answered: Type.Integer({ description: 'the status it was answered with' }),
          signature: Type.Object({ valid: Type.Boolean(), because: Type.String() }, closed)
        },
        closed
      ),
      { description: 'newest last' }
    )
  },
  closed
)

const Told = Type.Null({ description: 'As it was told.' })

const Path = Type.Object({
  name: Type.String({
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    description: '1 to 64 letters, digits, dots, dashes or underscores',
    examples: ['shop']
  })
})

/**
 * A receiver of callbacks inside the mock: it takes everything, answers as it was told, and says of
 * each what its signature is worth.
 */
export function sinkRoutes (app: FastifyInstance, sinks: CallbackSinks, base: () => string): void {
  const nameOf = (params: unknown): string => (params as Static<typeof Path>).name
  const orders = (name: string, { answers, then }: SinkOrders) => ({
    url: `${base()}/__admin/sink/${name}`,
    answers,
    then
  })

  app.get(
    '/sink/:name',
    {
      config: adminCall(
        'showSink',
        'The callbacks that a built-in receiver has taken in, and what their signatures are worth'
      ),
      schema: {
        params: Path,
        querystring: Type.Object({ limit: Type.Optional(PageLimit) }, closed),
        response: { 200: Inbox }
      }
    },
    async ({ account, params, query }) => {
      const { received, count, orders: given } = sinks.showSink(account.id, nameOf(params))
      return {
        ...orders(nameOf(params), given),
        received: count,
        callbacks: received
          .slice(-readLimit((query as { limit?: string }).limit ?? '1000'))
          .map(showSink)
      }
    }
  )

  app.put(
    '/sink/:name',
    {
      config: adminCall(
        'orderSink',
        'Tell a built-in receiver what to answer',
        'A list such as [500, 200] is for the next callbacks, in this order; afterwards it ' +
          'answers 200, or what `then` says.'
      ),
      schema: { params: Path, body: OrderRequest, response: { 200: OrderAnswer } }
    },
    async ({ account, params, body }) => {
      const given = body as Static<typeof OrderRequest>
      const { answers = [], delay, then = 200 } = Array.isArray(given) ? { answers: given } : given
      const order: SinkOrders = {
        answers: answers.map((answer) => readOrders(answer, delay)),
        then: readOrders(then, delay)
      }
      sinks.setOrders(account.id, nameOf(params), order)
      return orders(nameOf(params), order)
    }
  )

  app.delete(
    '/sink/:name',
    {
      config: adminCall(
        'emptySink',
        'Forget what a built-in receiver has taken in, and what it was told'
      ),
      schema: { params: Path, response: { 204: Type.Null({ description: 'It is empty.' }) } }
    },
    async ({ account, params }, reply) => {
      sinks.forgetSink(account.id, nameOf(params))
      return reply.code(204).send()
    }
  )

  // In a place of its own, because whatever comes is taken as it comes.
  app.register(async (inlet) => {
    inlet.removeAllContentTypeParsers()
    addBodyParser(inlet, '*', (_request, body) => Buffer.from(body))
    inlet.post(
      '/sink/:name',
      {
        // Who sends callbacks has no token. Ours say whose they are; what others send is the
        // default account's, unless it carries a token.
        config: {
          ...adminCall(
            'fillSink',
            'Where callbacks are sent; every body is taken',
            'Each account has its own sinks: a callback of this server goes to that of the ' +
              'account it is sent for, whatever else comes to that of its bearer token, or of ' +
              'the default account.'
          ),
          isOpen: true
        },
        schema: {
          params: Path,
          response: {
            '2xx': Type.Null({ description: 'As it was told; 200 otherwise.' }),
            '3xx': Told,
            '4xx': Type.Union([Told, AdminFailure], {
              description: 'As it was told, or no such name is possible.'
            }),
            '5xx': Told
          }
        }
      },
      async ({ account, params, method, raw, headers, body }, reply) => {
        const { status, delayMs } = sinks.receiveCallback(account.id, nameOf(params), {
          method,
          target: raw.url ?? '',
          headers,
          body: Buffer.isBuffer(body) ? body : Buffer.alloc(0)
        })
        if (delayMs > 0) await pause(reply, delayMs)
        return reply.code(status).send()
      }
    )
  })
}

function readOrders (answer: Static<typeof Answer>, delay: Static<typeof Duration> = 0): SinkAnswer {
  const { status = 200, delay: own = delay } =
    typeof answer === 'number' ? { status: answer } : answer
  const delayMs = parseDuration(own) as number
  if (delayMs > longestDelayMs) {
    throw new AdminError(
      'BAD_REQUEST',
      `delay is at most 60s, got '${own}'`,
      'such as "delay": "60s"'
    )
  }
  return { status, delayMs }
}

function showSink ({
  n,
  at,
  method,
  target,
  headers,
  body,
  status,
  signature
}: ReceivedCallback): object {
  return {
    n,
    at: new Date(at).toISOString(),
    method,
    path: target,
    headers,
    body: contentOf(body),
    answered: status,
    signature
  }
}

function contentOf (body: Buffer): unknown {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
