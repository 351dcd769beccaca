import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'

/** What the pages load beside themselves: a style sheet and a script, files of our own. */

const types = {
  'icon.svg': 'image/svg+xml',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8'
} as const
type Asset = keyof typeof types

/** Beside the source, or further up where only the built files lie elsewhere. */
const folders = ['../assets/', '../../../routes/assets/'].map(
  (path) => new URL(path, import.meta.url)
)

/** With its version in the address a file never changes; without it, it may. */
const foreverSeconds = 31_536_000
const awhileSeconds = 3600

const read = new Map<Asset, { text: Buffer; version: string }>()

function load (name: Asset): { text: Buffer; version: string } {
  let asset = read.get(name)
  if (asset === undefined) {
    const folder = folders.find((folder) => existsSync(new URL(name, folder)))
    if (folder === undefined) throw new Error(`the file ${name} is missing from the package`)
    const text = readFileSync(new URL(name, folder))
    read.set(name, (asset = { text, version: hash('sha256', text, 'hex').slice(0, 12) }))
  }
  return asset
}

/** Where a page finds it. */
export function assetPath (name: Asset): string {
  return `/static/pages/${name}?v=${load(name).version}`
}

export function assetRoutes (app: FastifyInstance): void {
  for (const [name, type] of Object.entries(types) as Array<[Asset, string]>) {
    app.get(
      `/static/pages/${name}`,
      { config: { documentation: 'hidden' } },
      async (request, reply) => {
        const { text, version } = load(name)
        const isVersioned = (request.query as Record<string, string>).v === version
        return reply
          .type(type)
          .header(
            'cache-control',
            isVersioned
              ? `public, max-age=${foreverSeconds}, immutable`
              : `public, max-age=${awhileSeconds}`
          )
          .header('x-content-type-options', 'nosniff')
          .send(text)
      }
    )
  }
}
