import type { Static } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { choice, Type } from '../../src/lib/typebox.ts'
import { createOpenObject } from '../../src/admin-api/fields.ts'
import type { AdminErrorAnswer } from '../../src/admin-api/errors.ts'
import type { CallMock } from '../../src/mcp/tools.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { AdminParts } from './parts.ts'

const McpQuery = Type.Object({
  allowChanges: Type.Optional(
    choice(['true', 'false'], {
      description: "'true' also offers the tools that change the mock"
    })
  )
})

/** Tools for assistants, over HTTP. Host, Origin and the tokens are checked as for every call. */
export function mcpRoute (app: TypedApp, { api }: AdminParts): void {
  app.post(
    '/mcp',
    {
      config: { documentation: 'hidden' },
      schema: { querystring: McpQuery, body: createOpenObject('a message of the protocol') }
    },
    async (request, reply) => {
      const { answerHttp } = await import('../../src/mcp/server.ts')
      const { method, headers, body, query } = request
      const url = new URL(request.url, 'http://localhost')
      const texts = Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        String(value)
      ])
      const answer = await answerHttp(new Request(url, { method, headers: texts }), body, {
        call: createCall(api, request),
        allowsChanges: query.allowChanges === 'true'
      })
      return reply.code(answer.status).headers(answer.headers).send(answer.body)
    }
  )
}

/** Makes admin calls inside this server, with the tokens of a request. */
function createCall (
  api: Pick<FastifyInstance, 'inject'>,
  { headers: { authorization, 'x-momock-admin-token': adminToken } }: FastifyRequest
): CallMock {
  return async (method, path, body) => {
    const url = `/__admin${path}`
    const response = await api.inject({
      method: method as 'GET',
      url,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(adminToken !== undefined && { 'x-momock-admin-token': adminToken }),
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      payload: body === undefined ? undefined : JSON.stringify(body)
    })
    if (response.statusCode < 300) return response.body === '' ? undefined : response.json()
    const { error } = response.json<Static<typeof AdminErrorAnswer>>()
    throw new Error(`${method} ${url}: ${error.message} (${error.hint})`)
  }
}
