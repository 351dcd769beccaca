import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Static, TSchema } from '@sinclair/typebox'
import { retryAfter } from '../../src/ports/ledger-error.ts'
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

const Ready = Type.Object({ status: Type.Literal('ready') }, { additionalProperties: false })

const NotReady = Type.Object(
  { status: Type.Literal('not ready'), reason: Type.String() },
  { additionalProperties: false }
)

/** Parts that the health checks need. */
export interface HealthParts {
  version: string
  /** Returns true after the signal to stop. */
  isStopping: () => boolean
  /** Reads from the ledger; throws if that is not possible. */
  readLedger: () => Promise<unknown>
}

/** A health check, which has the same answer at two addresses. */
interface HealthCheck {
  paths: ReadonlyArray<[path: string, id: string]>
  summary: string
  response: Record<number, TSchema>
  answer: (reply: FastifyReply) => object | Promise<object>
}

/**
 * Adds the health checks. They answer without a token, as soon as the server is ready. `health`
 * says that the process runs, `ready` that it can be sent requests.
 */
export function healthRoutes (
  app: FastifyInstance,
  { version, isStopping, readLedger }: HealthParts,
  systemClock: SystemClock
): void {
  const started = systemClock.now()
  const checks: HealthCheck[] = [
    {
      paths: [
        ['/health', 'checkHealth'],
        ['/__admin/health', 'checkAdminHealth']
      ],
      summary: 'Is the server up?',
      response: { 200: Health },
      answer: (): Static<typeof Health> => ({
        status: 'healthy',
        version,
        uptimeInSeconds: Math.floor((systemClock.now() - started) / 1000)
      })
    },
    {
      paths: [
        ['/ready', 'checkReadiness'],
        ['/__admin/ready', 'checkAdminReadiness']
      ],
      summary: 'Can the server be sent requests?',
      response: { 200: Ready, 503: NotReady },
      answer: async (reply): Promise<Static<typeof Ready> | Static<typeof NotReady>> => {
        const reason = isStopping() ? 'the server stops' : await findLedgerProblem(readLedger)
        if (reason === undefined) return { status: 'ready' }
        reply.code(503).header('retry-after', retryAfter)
        return { status: 'not ready', reason }
      }
    }
  ]
  for (const { paths, summary, response, answer } of checks) {
    for (const [path, id] of paths) {
      app.get(
        path,
        {
          config: {
            isOpen: true,
            ignoresAccounts: true,
            documentation: { id, summary, tag: 'admin' }
          },
          schema: { response }
        },
        // As text, because the first answer with a schema loads the serialiser, and a program that
        // waits for the server would wait for that.
        async (_request, reply) => {
          const text = JSON.stringify(await answer(reply))
          return await reply.type('application/json').send(text)
        }
      )
    }
  }
}

/** Returns why requests cannot use the ledger. The details are in the log, not for everybody. */
async function findLedgerProblem (
  readLedger: HealthParts['readLedger']
): Promise<string | undefined> {
  return await readLedger().then(
    () => undefined,
    () => 'the ledger cannot be used; the log says why'
  )
}
