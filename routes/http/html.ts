import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import type { Html } from '../../src/lib/html.ts'
import { isForm } from './forms.ts'

/** Pages load and run our own files only, send forms to us only, and cannot be framed. */
const contentPolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src " +
  "'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** Sends a page. */
export function sendHtml (reply: FastifyReply, { text }: Html): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', contentPolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-store')
    .send(text)
}

/**
 * Tells whether the caller gets HTML: a browser always, other clients only at the address of a
 * page and without `Accept: application/json`.
 */
export function wantsHtml (request: FastifyRequest): boolean {
  if (isForm(request)) return true
  const isPage = request.routeOptions.config.isPage === true
  const types = isPage ? ['text/html', 'application/json'] : ['application/json', 'text/html']
  const wanted = new Negotiator(request).mediaType(types)
  return wanted === undefined ? isPage : wanted === 'text/html'
}
