import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Ids } from '../src/lib/ids.ts'
import { failureCode } from '../src/wire/v2/answers.ts'
import type { Wire } from '../src/wire/wire.ts'
import { AdminError, sendFailure } from './admin/errors.ts'
import { sendReply } from './api/guard.ts'
import { errorIds, type ApiGuardParts } from './http/api-route.ts'
import {
  sendUnexpected,
  unexpectedMessage,
  type DescribeUnexpected,
  type LastAnswers
} from './http/unexpected.ts'
import { refusePage } from './pages/customer.ts'

/** Answers to requests that have no route yet, in the form of the area of their address. */

/** Areas of addresses outside of the payments API. */
const areas: ReadonlyArray<[area: 'admin' | 'page', begin: RegExp]> = [
  ['admin', /^\/__admin(\/|$)/],
  ['page', /^\/(pay|checkout|authorise)\//]
]

function areaOf (url: string): 'admin' | 'page' | 'api' {
  return areas.find(([, begin]) => begin.test(url))?.[0] ?? 'api'
}

/** Version of the API that an address belongs to. */
function wireOf (url: string, wires: readonly Wire[]): Wire {
  return wires.find(({ prefix }) => prefix !== '' && url.startsWith(`${prefix}/`)) ?? wires[0]
}

/** Returns the function that writes answers to unexpected errors, in the form of their area. */
export function describeUnexpected (wires: readonly Wire[], ids: Ids): DescribeUnexpected {
  return ({ method = '', url = '' }) => {
    if (areaOf(url) !== 'api') {
      const code = areaOf(url) === 'admin' ? 'INTERNAL_ERROR' : failureCode('UNEXPECTED')
      const hint = 'see the log of the server'
      return { status: 500, body: { error: { code, message: unexpectedMessage, hint } } }
    }
    return wireOf(url, wires).answers.refused(
      { code: 'UNEXPECTED', message: unexpectedMessage },
      { operation: 'none' },
      (message) => ids.error('', method, url, '', message)
    )
  }
}

type Unroutable = (error: Error, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** Handler of requests that Fastify refuses before it knows their route. */
export function handleUnroutable (
  wires: readonly Wire[],
  parts: Pick<ApiGuardParts, 'ids' | 'recorder'>,
  answers: LastAnswers
): Unroutable {
  const refuse = refuseUnroutable(wires, parts)
  return async (error, request, reply) => {
    try {
      return await refuse(error, request, reply)
    } catch (failure) {
      reply.hijack()
      sendUnexpected(answers, failure, { method: request.method, url: request.raw.url }, reply.raw)
    }
  }
}

function refuseUnroutable (
  wires: readonly Wire[],
  { ids, recorder }: Pick<ApiGuardParts, 'ids' | 'recorder'>
): Unroutable {
  return async (error, request, reply) => {
    const { url = '' } = request.raw
    const area = areaOf(url)
    if (area === 'admin') {
      recorder.countMiss(400)
      return sendFailure(
        reply,
        new AdminError('BAD_REQUEST', error.message, 'write a % in an address as %25')
      )
    }
    if (area === 'page') {
      recorder.countMiss(404)
      const message = `no page has this address: ${error.message}`
      return await refusePage(request, reply, { code: 'NOT_FOUND', message })
    }
    const answer = wireOf(url, wires).answers.refused(
      { code: 'UNREADABLE', message: error.message },
      { operation: 'none' },
      errorIds(request, ids)
    )
    await recorder.recordMiss(request, answer)
    return sendReply(reply, answer)
  }
}
