import { Type } from '../../src/lib/typebox.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { assetTypes, loadAsset, type AssetName } from './templates/asset-files.ts'

/** A path with the version of a file never changes its content; a path without it may. */
const versionedSeconds = 31_536_000
const unversionedSeconds = 3600

const VersionQuery = Type.Object({ v: Type.Optional(Type.Unknown()) })

/** Serves the files that the pages load. */
export function assetRoutes (app: TypedApp): void {
  for (const name of Object.keys(assetTypes) as AssetName[]) {
    app.get(
      `/static/pages/${name}`,
      {
        config: { documentation: 'hidden', ignoresAccounts: true },
        schema: { querystring: VersionQuery }
      },
      async ({ query }, reply) => {
        const { text, version } = loadAsset(name)
        const cacheControl =
          query.v === version
            ? `public, max-age=${versionedSeconds}, immutable`
            : `public, max-age=${unversionedSeconds}`
        return reply
          .type(assetTypes[name])
          .header('cache-control', cacheControl)
          // No other answer may be kept by a cache, and pages of other origins get CORS headers.
          .header('vary', 'Origin')
          .header('x-content-type-options', 'nosniff')
          .send(text)
      }
    )
  }
}
