import type { Static } from '@sinclair/typebox'
import { createEmptyAnswer, readLimit } from '../../src/admin-api/fields.ts'
import {
  SinkOrders,
  SinkPath,
  SinkQuery,
  SinkReply,
  SinkRequest,
  SinkView,
  type SinkAnswer
} from '../../src/admin-api/sinks.ts'
import { parseDuration } from '../../src/lib/duration.ts'
import type {
  CallbackSinks,
  SinkAnswer as PlannedAnswer,
  SinkOrders as PlannedAnswers,
  WrittenCallback
} from '../../src/services/callback-sinks.ts'
import { longestText } from '../../src/monitoring/request-journal.ts'
import { addBodyParser, refuseLargeJson } from '../http/body.ts'
import { disconnectOf, pause } from '../http/pause.ts'
import { named } from '../http/server.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'
import { clipPage, pageMiB } from './page-size.ts'
import type { Duration } from '../../src/lib/typebox.ts'
import type { AdminParts } from './parts.ts'

const longestDelayMs = 60_000

/** Calls about callback sinks: receivers of callbacks inside the mock. */
export function sinkRoutes (app: TypedApp, { sinks, links }: AdminParts): void {
  const showOrders = (name: string, { answers, then }: PlannedAnswers) => ({
    url: `${links.base}/__admin/sink/${name}`,
    answers,
    then
  })

  app.get(
    '/sink/:name',
    {
      config: adminCall(
        'showSink',
        'List the callbacks that a sink received, and whether their signatures are valid',
        `The last callbacks, oldest first. Their bodies have at most ${pageMiB} MiB together.`
      ),
      schema: { params: SinkPath, querystring: SinkQuery, response: { 200: SinkView } }
    },
    async ({ account, params: { name }, query: { limit = '1000' } }) => {
      const { received, count, orders } = sinks.readPart(account.id, name)
      return {
        ...showOrders(name, orders),
        received: count,
        callbacks: clipPage(received.slice(-readLimit(limit)).reverse(), measureShown)
          .reverse()
          .map(showReceived)
      }
    }
  )

  app.put(
    '/sink/:name',
    {
      config: adminCall(
        'orderSink',
        'Set the answers of a sink',
        'A list such as [500, 200] is for the next callbacks, in this order. Afterwards the sink ' +
          'answers 200, or `then`.'
      ),
      schema: { params: SinkPath, body: SinkRequest, response: { 200: SinkOrders } }
    },
    async ({ account, params: { name }, body }) => {
      const orders = readOrders(body)
      sinks.setOrders(account.id, name, orders)
      return showOrders(name, orders)
    }
  )

  app.delete(
    '/sink/:name',
    {
      config: adminCall('emptySink', 'Delete the callbacks and the answers of a sink'),
      schema: { params: SinkPath, response: { 204: createEmptyAnswer('The sink is empty.') } }
    },
    async ({ account, params: { name } }, reply) => {
      sinks.emptySink(account.id, name)
      return reply.code(204).send()
    }
  )

  // In its own context, because its body parser takes every content type.
  app.register(named('sink', async (inlet: TypedApp) => addReceiveRoute(inlet, sinks)))
}

function addReceiveRoute (app: TypedApp, sinks: CallbackSinks): void {
  app.removeAllContentTypeParsers()
  addBodyParser(app, '*', (_request, body) => {
    refuseLargeJson(body.toString('latin1'))
    return body
  })
  app.post(
    '/sink/:name',
    {
      // Senders of callbacks have no token. Our own callbacks name their account in a header.
      config: {
        ...adminCall(
          'fillSink',
          'Receive a callback with any body',
          'Each account has its own sinks. A callback of this server goes to the sink of its ' +
            'account. Any other request goes to the sink of its bearer token, or of the default ' +
            'account.'
        ),
        isOpen: true
      },
      schema: { params: SinkPath, response: SinkReply }
    },
    async ({ account, params: { name }, method, raw, headers, body }, reply) => {
      const received = {
        method,
        target: raw.url ?? '',
        headers,
        body: Buffer.isBuffer(body) ? body : Buffer.alloc(0)
      }
      const { status, delayMs } = sinks.receiveCallback(account.id, name, received)
      if (delayMs > 0) await pause(delayMs, disconnectOf(reply))
      return reply.code(status).send()
    }
  )
}

function readOrders (body: Static<typeof SinkRequest>): PlannedAnswers {
  const { answers = [], delay, then = 200 } = Array.isArray(body) ? { answers: body } : body
  return {
    answers: answers.map((answer) => readAnswer(answer, delay)),
    then: readAnswer(then, delay)
  }
}

function readAnswer (
  answer: Static<typeof SinkAnswer>,
  defaultDelay: Static<typeof Duration> = 0
): PlannedAnswer {
  const { status = 200, delay = defaultDelay } =
    typeof answer === 'number' ? { status: answer } : answer
  const delayMs = Number(parseDuration(delay))
  if (delayMs > longestDelayMs) {
    throw new AdminError(
      'BAD_REQUEST',
      `delay must be at most 60s, got '${delay}'`,
      'such as "delay": "60s"'
    )
  }
  return { status, delayMs }
}

/** Returns the number of bytes that a page shows of a callback. */
function measureShown ({ body }: WrittenCallback): number {
  return Math.min(Buffer.byteLength(body, 'base64'), longestText)
}

function showReceived (callback: WrittenCallback): Static<typeof SinkView>['callbacks'][number] {
  const { n, at, method, target, headers, status, signature } = callback
  const body = Buffer.from(callback.body, 'base64')
  return {
    n,
    at: new Date(at).toISOString(),
    method,
    path: target,
    headers: Object.fromEntries(
      Object.entries(headers).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value]]
      )
    ),
    ...(body.length <= longestText
      ? { body: readContent(body) }
      : { body: `${body.toString('utf8', 0, longestText)}…`, bodyTruncated: true }),
    answered: status,
    signature
  }
}

function readContent (body: Buffer): unknown {
  const text = body.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
