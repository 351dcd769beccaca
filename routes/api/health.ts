import type { FastifyInstance } from 'fastify'
import type { Static } from '@sinclair/typebox'
import { Type } from '../../src/lib/typebox.ts'
import type { SystemClock } from '../../src/lib/clock.ts'

const Health = Type.Object(
  {
    status: Type.Literal('healthy'),
    version: Type.String(),
    uptimeInSeconds: Type.Integer({ minimum: 0 })
  },
  { additionalProperties: false }
)

/** Adds the health checks. They answer without a token, as soon as the server is ready. */
export function healthRoutes (
  app: FastifyInstance,
  version: string,
  systemClock: SystemClock
): void {
  const started = systemClock.now()
  for (const [path, id] of [
    ['/health', 'checkHealth'],
    ['/__admin/health', 'checkAdminHealth']
  ]) {
    app.get(
      path,
      {
        config: { isOpen: true, documentation: { id, summary: 'Is the server up?', tag: 'admin' } },
        schema: { response: { 200: Health } }
      },
      async (_request, reply) => {
        const health: Static<typeof Health> = {
          status: 'healthy',
          version,
          uptimeInSeconds: Math.floor((systemClock.now() - started) / 1000)
        }
        // As text, because the first answer with a schema loads the serialiser, and a program that
        // waits for the server would wait for that.
        return await reply.type('application/json').send(JSON.stringify(health))
      }
    )
  }
}
