import { hash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isSameSecret } from '../../src/lib/secrets.ts'

const cookieName = 'momock-dashboard'
/** A cookie of HTTPS has a name of its own: pages of HTTP cannot replace it, and need another. */
const secureName = `__Secure-${cookieName}`

/** Tells whether a visitor may use the dashboard: whoever may use the admin API. */
export function hasAccess (request: FastifyRequest, adminToken: string | undefined): boolean {
  if (adminToken === undefined) return true
  const sent = String(request.headers['x-momock-admin-token'] ?? '')
  return isSameSecret(sent, adminToken) || hasCookie(request, adminToken)
}

/** Cookie of a visitor who knows the admin token. It contains a digest, not the token. */
export function createCookie (adminToken: string, isSecure: boolean): string {
  const value = digestOf(adminToken)
  const name = isSecure ? secureName : cookieName
  const rules = 'Path=/__admin; HttpOnly; SameSite=Strict'
  return `${name}=${value}; ${rules}${isSecure ? '; Secure' : ''}`
}

function hasCookie ({ headers: { cookie = '' } }: FastifyRequest, adminToken: string): boolean {
  const [, value = ''] =
    new RegExp(`(?:^|; )(?:${secureName}|${cookieName})=([0-9a-f]{64})(?:;|$)`).exec(cookie) ?? []
  return value !== '' && isSameSecret(value, digestOf(adminToken))
}

function digestOf (adminToken: string): string {
  return hash('sha256', `dashboard ${adminToken}`)
}
