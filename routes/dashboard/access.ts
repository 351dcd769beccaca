import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../src/lib/hosts.ts'

/** Settings that decide who may use the dashboard. */
export interface AccessSettings {
  adminToken: string | undefined
  /** Address that the server listens on. */
  host: string
}

/** Access of a visitor: `login` asks for the admin token. */
export type Access = 'full' | 'read-only' | 'login'

const cookieName = 'momock-dashboard'

/** Decides the access of a visitor. */
export function findAccess (request: FastifyRequest, settings: AccessSettings): Access {
  const { adminToken, host } = settings
  if (adminToken !== undefined) {
    const sent = String(request.headers['x-momock-admin-token'] ?? '')
    return isAdminToken(sent, adminToken) || hasCookie(request, adminToken) ? 'full' : 'login'
  }
  return isLoopback(host) ? 'full' : 'read-only'
}

/** Tells whether a text is the admin token, in constant time. */
export function isAdminToken (text: string, adminToken: string): boolean {
  return timingSafeEqual(digest(text), digest(adminToken))
}

/** Cookie of a visitor who knows the admin token. It contains a digest, not the token. */
export function createCookie (adminToken: string): string {
  const value = digest(adminToken).toString('hex')
  return `${cookieName}=${value}; Path=/__admin; HttpOnly; SameSite=Strict`
}

function hasCookie ({ headers: { cookie = '' } }: FastifyRequest, adminToken: string): boolean {
  const [, value = ''] =
    new RegExp(`(?:^|; )${cookieName}=([0-9a-f]{64})(?:;|$)`).exec(cookie) ?? []
  return value !== '' && timingSafeEqual(Buffer.from(value, 'hex'), digest(adminToken))
}

function digest (text: string): Buffer {
  return createHash('sha256').update('dashboard ').update(text).digest()
}
