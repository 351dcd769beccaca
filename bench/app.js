import Fastify from 'fastify'
import { checkToken, text } from './schemas.js'

/** Creates a Fastify app that checks the token and says that it is healthy. */
export function createApp () {
  const app = Fastify({ logger: false })
  app.addHook('onRequest', checkToken)
  app.get(
    '/health',
    { schema: { response: { 200: { type: 'object', properties: { status: text } } } } },
    async () => ({ status: 'healthy' })
  )
  return app
}
