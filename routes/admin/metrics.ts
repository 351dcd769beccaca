import { Type } from '../../src/lib/typebox.ts'
import type { FastifyInstance } from 'fastify'
import type { Metrics } from '../../src/monitoring/prometheus.ts'
import { adminCall } from './guard.ts'

/** What the server has counted, for Prometheus. */
export function metricsRoute (app: FastifyInstance, metrics: () => Promise<Metrics>): void {
  app.get(
    '/metrics',
    {
      config: adminCall(
        'getMetrics',
        'What the whole server has counted since its start, for Prometheus',
        'Of every account, whatever token it is asked with.'
      ),
      schema: {
        response: {
          200: {
            description: 'The metrics, in the text format of Prometheus.',
            content: { 'text/plain': { schema: Type.String() } }
          }
        }
      }
    },
    async (_request, reply) => {
      const { type, text } = await (await metrics()).writeMetrics()
      return reply
        .type(type)
        .serializer((body: string) => body)
        .send(text)
    }
  )
}
