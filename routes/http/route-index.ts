import { distance } from 'fastest-levenshtein'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { RouteConfig } from './context.ts'

/** A registered route: plain data, no handler and no hooks. */
export interface RegisteredRoute {
  method: string
  url: string
  schema?: FastifySchema
  config?: RouteConfig
}

/** Tells whether two paths belong to the same version; any version number counts as v2. */
function isSameVersion (asked: string, url: string): boolean {
  return /^\/v\d+\//i.test(asked) === url.startsWith('/v2/')
}

/** Paths that clients believe in, although no version has ever had them. */
const invented: ReadonlyArray<[path: RegExp, advice: string]> = [
  [
    /^\/v[12]\/payments(\/|$)/i,
    'each kind has its own path: /v2/deposits, /v2/payouts, /v2/refunds ' +
      '(v1: /deposits, /payouts, /refunds)'
  ],
  [/^\/v[12]\/signing-keys(\/|$)/i, 'use GET /v2/public-key/http (v1: GET /public-key/http)'],
  [
    /^\/v[12](\/standard)?\/name-lookups?(\/|$)/i,
    'there is no lookup of names; POST /v2/predict-provider finds the provider of a phone number'
  ]
]

const identifier = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** List of all routes, for hints about wrong addresses and for the OpenAPI document. */
export class RouteIndex {
  readonly #routes: RegisteredRoute[] = []

  /** Adds all routes that are registered later. */
  watch (app: FastifyInstance): void {
    app.addHook('onRoute', ({ method, url, schema, config }) => {
      // Fastify adds a HEAD route to every GET route, and every address answers OPTIONS.
      for (const name of [method].flat()) {
        if (name === 'HEAD' || name === 'OPTIONS') continue
        this.#routes.push({ method: name, url, schema, config })
      }
    })
  }

  get routes (): readonly RegisteredRoute[] {
    return this.#routes
  }

  /** Number of routes that begin with a prefix and with none of the others. */
  count (prefix: string, except: readonly string[] = []): number {
    return this.#routes.filter(
      ({ url }) => url.startsWith(prefix) && !except.some((other) => url.startsWith(other))
    ).length
  }

  /** Methods of the routes that match an address. */
  methodsOf (url: string): string[] {
    const path = url.split('?', 1)[0].replace(/(?<=.)\/+$/, '')
    return this.#routes
      .filter((route) =>
        new RegExp(
          `^${route.url.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`
        ).test(path)
      )
      .map(({ method }) => method)
  }

  /**
   * Could a path with `*` or `{name}` in place of segments be that of a route? A client may double
   * slashes.
   */
  isPath (pattern: string): boolean {
    const asked = pattern
      .replace(/\/+/g, '/')
      .replace(/(?<=.)\/$/, '')
      .split('/')
    return this.#routes.some(({ url }) => {
      const segments = url.split('/')
      return (
        segments.length === asked.length &&
        segments.every(
          (segment, n) => segment === asked[n] || segment[0] === ':' || /[*{]/.test(asked[n])
        )
      )
    })
  }

  /** Message about an address without a route, with the nearest route. */
  hint (method: string, url: string): string {
    const path = url.split('?', 1)[0]
    const missing = `${method} ${path.slice(0, 200)} does not exist`
    const advice = invented.find(([wrong]) => wrong.test(path))?.[1]
    if (advice !== undefined) return `${missing}; ${advice}`
    const [, withoutVersion] = /^\/v1(\/.+)$/i.exec(path) ?? []
    if (withoutVersion !== undefined && this.methodsOf(withoutVersion).length > 0) {
      return `${missing}; v1 has no prefix, so use ${method} ${withoutVersion.slice(0, 200)}`
    }
    const nearest = this.findNearest(method, path)
    if (nearest === undefined) return missing
    return `${missing}; did you mean ${nearest.method} ${nearest.url.replace(/:(\w+)/g, '{$1}')}?`
  }

  /** Route with the most similar method and path, among those that are wanted. */
  findNearest (
    method: string,
    path: string,
    isWanted: (route: RegisteredRoute) => boolean = () => true
  ): RegisteredRoute | undefined {
    const asked = path
      .split('/')
      .map((segment) => (identifier.test(segment) ? '{id}' : segment))
      .join('/')
    let best: RegisteredRoute | undefined
    let least = Infinity
    for (const route of this.#routes.filter(isWanted)) {
      const far =
        distance(asked, route.url.replace(/:\w+/g, '{id}')) +
        (route.method === method ? 0 : 0.5) +
        (isSameVersion(asked, route.url) ? 0 : 3)
      if (far < least) [best, least] = [route, far]
    }
    return best
  }
}
