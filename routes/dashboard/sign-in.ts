import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameSecret } from '../../src/lib/secrets.ts'
import { AdminError } from '../admin/errors.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { sendHtml, wantsHtml } from '../http/html.ts'
import { readTexts } from '../http/forms.ts'
import { createCookie } from './access.ts'
import { longestField, openRoute, type DashboardParts } from './find-visit.ts'
import { home } from './visit.ts'

/** Adds the form that takes the admin token. */
export function addSignInRoute (app: TypedApp, { adminToken }: DashboardParts): void {
  app.post('/ui/login', openRoute, async (request, reply) => {
    const { token = '', next = home } = readTexts(request.body, longestField)
    if (adminToken === undefined || isSameSecret(token, adminToken)) {
      if (adminToken !== undefined) {
        reply.header('set-cookie', createCookie(adminToken, request.protocol === 'https'))
      }
      return reply.redirect(isOwnPage(next) ? next : home, 303)
    }
    const { loginPage } = await import('./templates/layout.ts')
    return sendHtml(reply.code(401), loginPage('This is not the admin token of the server.', next))
  })
}

/** Asks for the admin token, and then returns to the page. */
export async function askForToken (
  request: FastifyRequest,
  reply: FastifyReply
): Promise<FastifyReply> {
  if (!wantsHtml(request)) throw signInFirst()
  const { loginPage } = await import('./templates/layout.ts')
  return sendHtml(reply.code(401), loginPage(undefined, request.url))
}

/** Error of a request without the admin token. */
export function signInFirst (): AdminError {
  return new AdminError(
    'UNAUTHORIZED',
    'the dashboard needs the admin token',
    `open ${home} in a browser and sign in`
  )
}

/** Tells whether an address is one of the dashboard, and not of another server. */
function isOwnPage (address: string): boolean {
  return address.startsWith(`${home}/`) || address.startsWith(`${home}?`)
}
