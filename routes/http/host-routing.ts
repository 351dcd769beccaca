import { roleOf, type HostRole } from '../../src/domain/service-hosts.ts'

/** The service has a host of its own for each page. Their paths differ from those of the mock. */

/** Paths that are the same on every host: pages link to each other and to their assets. */
const sharedPaths = /^\/(checkout|pay|authorise|static|__admin|health|ready)(?=[/?]|$)/

/** Address on a page's host, as the mock names it. */
const pagePaths: Record<Exclude<HostRole, 'api'>, (url: string) => string> = {
  checkout: (url) => `/checkout${url}`,
  paymentPage: (url) => {
    // Not with the class URL: what a client sends for a path need not be one.
    const [path, ...rest] = url.split('?')
    const query = new URLSearchParams(rest.join('?'))
    const token = query.get('token')
    if (path !== '/' || token === null) return `/pay${url}`
    query.delete('token')
    return `/pay/${encodeURIComponent(token)}${query.size === 0 ? '' : `?${query.toString()}`}`
  }
}

/**
 * Returns the path of the mock for a path on a host. A host of the API serves everything, a page's
 * host only pages: `/CODE` is a checkout, `/?token=TOKEN` is a payment page.
 */
export function routeByHost (host: string, url: string): string {
  const role = roleOf(host)
  if (role === undefined || role === 'api' || sharedPaths.test(url)) return url
  return url.startsWith('/') ? pagePaths[role](url) : url
}

/** Link to a page below a base URL: as the service writes it on its own hosts. */
export function writePageLink (page: Exclude<HostRole, 'api'>, base: string, code: string): string {
  if (roleOf(new URL(base).hostname) !== page) {
    return `${base}/${page === 'checkout' ? 'checkout' : 'pay'}/${code}`
  }
  return page === 'checkout' ? `${base}/${code}` : `${base}/?token=${code}`
}
