import { Type } from '../../src/lib/typebox.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { adminCall } from './guard.ts'
import type { AdminParts } from './parts.ts'

/** Call that exports the metrics of the server. */
export function metricsRoute (app: TypedApp, { metrics }: AdminParts): void {
  app.get(
    '/metrics',
    {
      config: {
        ...adminCall(
          'getMetrics',
          'Show the metrics of the whole server since its start, for Prometheus',
          'Includes all accounts, for any token.'
        ),
        ignoresAccounts: true
      },
      schema: {
        response: {
          200: {
            description: 'The metrics in the text format of Prometheus.',
            content: { 'text/plain': { schema: Type.String() } }
          }
        }
      }
    },
    async (_request, reply) => {
      const { type, text } = await (await metrics()).writeMetrics()
      return reply.type(type).send(text)
    }
  )
}
