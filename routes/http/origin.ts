import type { FastifyInstance, FastifyRequest } from 'fastify'
import { serviceHosts } from '../../src/domain/service-hosts.ts'
import { bareHost, isFixed, isLoopback } from '../../src/lib/hosts.ts'
import { isEncrypted, nameOf } from './host-name.ts'

/**
 * Protects a local server from web pages. Any page can send requests to this machine, and a page
 * whose name is rebound to 127.0.0.1 can also read the answers. Clients that are no browsers send
 * no Origin and no Sec-Fetch-Site header, and are not affected.
 */

/** Settings that decide which pages may use the server. */
export interface OriginSettings {
  host: string
  publicUrl?: string
  /** Names with commas between them: `mock.example.com,*.example.net`, or `*` for all. */
  allowHosts?: string
  /** More names of the certificate. */
  tlsHosts?: string
}

/** A refused request: the reason and the fix. */
export interface OriginProblem {
  message: string
  hint: string
}

export type CheckOrigin = (request: FastifyRequest) => OriginProblem | undefined

/** Creates the check of the Host, Origin and Sec-Fetch-Site headers. */
export function createOriginCheck (settings: OriginSettings): CheckOrigin {
  const isAllowedAnywhere = createNameCheck(settings)
  const isInCertificate = createListCheck([...serviceHosts, ...splitNames(settings.tlsHosts)])
  return (request) => {
    const { method, headers } = request
    const isAllowed = (name: string): boolean =>
      isAllowedAnywhere(name) || (isEncrypted(request) && isInCertificate(name))
    const { host, origin, 'sec-fetch-site': site } = headers
    const name = host === undefined ? undefined : nameOf(host)
    if (name !== undefined && !isFixed(name) && !isAllowed(name)) return unknownHost(name)
    // Browsers send 'Origin: null' for a form of a page without referrer, also to its own origin.
    const isOwnForm = origin === 'null' && site === 'same-origin'
    if (origin !== undefined && !isOwnForm) {
      // A page of a file has no host: its origin is file://
      const page = bareHost(URL.parse(origin)?.hostname ?? '')
      const isKnown = page !== '' && (page === name || isLoopback(page) || isAllowed(page))
      return isKnown ? undefined : unknownOrigin(origin)
    }
    if (site !== 'cross-site' || isNavigation(method, headers)) return undefined
    return unknownOrigin('another site')
  }
}

/** Adds the check to all routes of an app, or only to those that can change something. */
export function checkOrigins (
  app: FastifyInstance,
  check: CheckOrigin,
  refuse: (problem: OriginProblem) => Error,
  which: 'all' | 'changing' = 'all'
): void {
  app.addHook('onRequest', async (request) => {
    if (which === 'changing' && isReading(request.method)) return
    const problem = check(request)
    if (problem !== undefined) throw refuse(problem)
  })
}

/** Tells whether a name is allowed by the settings. */
function createNameCheck ({
  host,
  publicUrl,
  allowHosts
}: OriginSettings): (name: string) => boolean {
  const own = [host, URL.parse(publicUrl ?? '')?.hostname ?? ''].map(bareHost)
  const isListed = createListCheck(splitNames(allowHosts))
  return (name) => own.includes(name) || isListed(name)
}

function splitNames (names = ''): string[] {
  return names
    .split(',')
    .map((name) => bareHost(name.trim()))
    .filter((name) => name !== '')
}

/** Tells whether a name is in a list, also below a name such as `*.example.com`. */
function createListCheck (entries: readonly string[]): (name: string) => boolean {
  return (name) =>
    entries.some(
      (entry) =>
        entry === '*' || entry === name || (entry.startsWith('*.') && name.endsWith(entry.slice(1)))
    )
}

function isReading (method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Tells whether somebody follows a link: the site with the link does not see the answer. */
function isNavigation (method: string, headers: FastifyRequest['headers']): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': target } = headers
  return isReading(method) && mode === 'navigate' && target === 'document'
}

function unknownHost (name: string): OriginProblem {
  const shown = name.slice(0, 100)
  return {
    message: `the Host header names '${shown}', which is no name of this server`,
    hint: `if it is one, start the server with --public-url or with --allow-hosts ${shown}`
  }
}

function unknownOrigin (origin: string): OriginProblem {
  return {
    message: `the request comes from a web page of ${origin.slice(0, 100)}`,
    hint:
      'only pages of this machine may use the admin API; start the server with --allow-hosts and ' +
      'the host name of the page to allow it'
  }
}
