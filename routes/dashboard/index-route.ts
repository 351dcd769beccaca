import { Type } from '../../src/lib/typebox.ts'
import { version } from '../../src/lib/package.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { wantsHtml } from '../http/html.ts'
import { home } from './visit.ts'

const Index = Type.Object({
  name: Type.String(),
  version: Type.String(),
  dashboard: Type.String(),
  reference: Type.String(),
  openapi: Type.String(),
  health: Type.String()
})

/** Adds the root of the server: the dashboard for browsers, an index for other clients. */
export function indexRoute (app: TypedApp): void {
  app.get(
    '/',
    { config: { documentation: 'hidden' }, schema: { response: { 200: Index } } },
    async (request, reply) => {
      // Added, because Vary names Origin for a web page.
      reply.raw.appendHeader('vary', 'accept')
      if (wantsHtml(request)) return reply.redirect(home)
      return reply.send({
        name: 'momock',
        version,
        dashboard: home,
        reference: '/__admin/docs',
        openapi: '/__admin/openapi.json',
        health: '/health'
      })
    }
  )
}
