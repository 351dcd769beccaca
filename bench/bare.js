import { createApp } from './app.js'
import { deposit, initiation, lookup, params, record } from './schemas.js'

/**
 * Smallest Fastify app with the same API, for comparison. It checks the token and the body, stores
 * nothing, and answers with a constant. It is JavaScript, so its start is the shortest possible.
 */

const app = createApp()

app.post(
  '/v2/deposits',
  { schema: { body: deposit, response: { 200: initiation } } },
  async ({ body }) => ({
    depositId: /** @type {{ depositId: string }} */ (body).depositId,
    status: 'ACCEPTED',
    nextStep: 'FINAL_STATUS',
    created: new Date().toISOString()
  })
)

app.get('/v2/deposits/:depositId', { schema: { params, response: { 200: lookup } } }, async () => ({
  status: 'FOUND',
  data: record
}))

process.on('SIGTERM', () => process.exit(0))
const url = await app.listen({ port: Number(process.argv[2] ?? 0), host: '127.0.0.1' })
process.stdout.write(`${JSON.stringify({ url })}\n`)
