import type { FastifyRequest } from 'fastify'
import {
  HandlerAnswer,
  HandlerAnswerTaken,
  ListenerAdded,
  ListenerList,
  ListenerPath,
  ListenerRemoved,
  ListenerRequest,
  ListenerStream
} from '../../src/admin-api/listeners.ts'
import type { Listener, Listeners } from '../../src/listening/listeners.ts'
import { mostListeners } from '../../src/listening/listeners.ts'
import type { EventStreams } from '../http/sse.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { AdminError } from './errors.ts'
import { adminCall } from './guard.ts'

/** Parts of the calls about listeners. The relay has the same calls. */
export interface ListenerParts {
  listeners: Listeners
  eventStreams: EventStreams
  /** Time in which an answer must be reported. */
  timeoutMs: number
  /** Returns the account of a request, or the team of a relay. */
  ownerOf: (request: FastifyRequest) => number
}

/** Calls of programs that fetch callbacks and report the answers, such as `momock listen`. */
export function listenerRoutes (app: TypedApp, parts: ListenerParts): void {
  const { listeners, timeoutMs, ownerOf } = parts
  app.post(
    '/listeners',
    {
      config: {
        ...adminCall(
          'addListener',
          'Add a listener: a program that fetches callbacks and reports the answers',
          'A callback goes to the listener whose conditions it meets, instead of the callback ' +
            'URL; of several, to the one with most conditions, then to the latest. A listener ' +
            'that follows no stream for 10 seconds is removed.'
        ),
        errors: [409]
      },
      schema: { body: ListenerRequest, response: { 201: ListenerAdded } }
    },
    async (request, reply) => {
      const listener = listeners.add(ownerOf(request), request.body)
      if (listener === undefined) {
        throw new AdminError(
          'CONFLICT',
          `there are ${mostListeners} listeners already`,
          'end one of them, or DELETE /__admin/listeners/{id}'
        )
      }
      return reply.code(201).send({ ...show(listener), timeoutMs })
    }
  )
  app.get(
    '/listeners',
    {
      config: adminCall('listListeners', 'List the listeners, oldest first'),
      schema: { response: { 200: ListenerList } }
    },
    async (request) => ({ listeners: listeners.list(ownerOf(request)).map(show) })
  )
  app.delete(
    '/listeners/:id',
    {
      config: { ...adminCall('removeListener', 'Remove a listener'), errors: [404] },
      schema: { params: ListenerPath, response: ListenerRemoved }
    },
    async (request, reply) => {
      if (!listeners.remove(ownerOf(request), request.params.id)) refuse(request.params.id)
      return reply.code(204).send()
    }
  )
  deliveryRoutes(app, parts)
}

/** Calls that hand callbacks over, and take the answers. */
function deliveryRoutes (app: TypedApp, parts: ListenerParts): void {
  const { listeners, eventStreams, ownerOf } = parts
  app.get(
    '/listeners/:id/callbacks',
    {
      config: {
        ...adminCall(
          'followCallbacks',
          'Follow the callbacks of a listener',
          'The stream begins with the callbacks that wait for an answer. With the header ' +
            '`Last-Event-ID` it begins with those after that number.'
        ),
        errors: [404]
      },
      schema: { params: ListenerPath, response: ListenerStream }
    },
    async (request, reply) => {
      const { id } = request.params
      const after = Number([request.headers['last-event-id']].flat()[0] ?? 0)
      return await eventStreams.sendFeed(reply, async (pass) => {
        const following = listeners.follow(
          ownerOf(request),
          id,
          Number.isInteger(after) ? after : 0,
          (message) => pass('callback', message, String(message.n)),
          () => reply.raw.end()
        )
        return following ?? refuse(id)
      })
    }
  )
  app.post(
    '/listeners/:id/answers',
    {
      config: {
        ...adminCall('reportAnswer', 'Report what a handler has answered to a callback'),
        errors: [404]
      },
      schema: { params: ListenerPath, body: HandlerAnswer, response: { 200: HandlerAnswerTaken } }
    },
    async (request) => {
      const { n, ...result } = request.body
      const owner = ownerOf(request)
      const taken = listeners.answer(owner, request.params.id, n, readResult(result))
      return { taken: taken ?? refuse(request.params.id) }
    }
  )
}

function readResult ({ status, headers, body, error }: Omit<HandlerAnswer, 'n'>) {
  if ((status === undefined) === (error === undefined)) {
    throw new AdminError(
      'BAD_REQUEST',
      'the answer has both `status` and `error`, or neither',
      'send `status` if the handler has answered, or `error` if it has not'
    )
  }
  return status === undefined
    ? { error: String(error) }
    : { status, ...(headers !== undefined && { headers }), ...(body !== undefined && { body }) }
}

function refuse (id: string): never {
  throw new AdminError(
    'NOT_FOUND',
    `there is no listener ${id}; it may have been absent for too long`,
    'add it again with POST /__admin/listeners'
  )
}

function show ({ id, wish, isConnected, handed }: Listener) {
  const { kinds, ids, ...rest } = wish
  return {
    id,
    ...rest,
    ...(kinds !== undefined && { kinds: [...kinds] }),
    ...(ids !== undefined && { ids: [...ids] }),
    isConnected,
    handed
  }
}
