import { distance } from 'fastest-levenshtein'
import type { FastifyInstance } from 'fastify'

interface Route {
  method: string
  url: string
}

/**
 * A mistake is more often in a path than in its generation; who writes any version means the one
 * there is.
 */
function sameGeneration (asked: string, url: string): boolean {
  return /^\/v\d+\//i.test(asked) === url.startsWith('/v2/')
}

const identifier = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Every route there is, so that who misses one can be told the nearest. */
export class RouteIndex {
  readonly #routes: Route[] = []

  /** Notes every route that is added from now on. */
  watch (app: FastifyInstance): void {
    app.addHook('onRoute', ({ method, url }) => {
      for (const name of [method].flat()) {
        this.#routes.push({ method: name, url: url.replace(/:(\w+)/g, '{$1}') })
      }
    })
  }

  /** How many routes there are whose path begins so, and does not begin with one of the others. */
  count (prefix: string, except: readonly string[] = []): number {
    return this.#routes.filter(
      ({ url }) => url.startsWith(prefix) && !except.some((other) => url.startsWith(other))
    ).length
  }

  /** The methods a path can be asked with. */
  methodsOf (url: string): string[] {
    const path = url.split('?', 1)[0].replace(/(?<=.)\/+$/, '')
    return this.#routes
      .filter((route) =>
        new RegExp(
          `^${route.url.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`
        ).test(path)
      )
      .map(({ method }) => method)
  }

  /** What to tell somebody who asked for a route that does not exist. */
  hint (method: string, url: string): string {
    const path = url.split('?', 1)[0]
    const asked = path
      .split('/')
      .map((segment) => (identifier.test(segment) ? '{id}' : segment))
      .join('/')
    let best: Route | undefined
    let least = Infinity
    for (const route of this.#routes) {
      const far =
        distance(asked, route.url.replace(/\{\w+\}/g, '{id}')) +
        (route.method === method ? 0 : 0.5) +
        (sameGeneration(asked, route.url) ? 0 : 3)
      if (far < least) [best, least] = [route, far]
    }
    return (
      `${method} ${path.slice(0, 200)} does not ` +
      `exist${best === undefined ? '' : `; did you mean ${best.method} ${best.url}?`}`
    )
  }
}
