import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { packageFolder } from '../../../src/lib/package.ts'

/** Files that the pages load: style sheets, scripts and an icon. All come from this server. */

export const assetTypes = {
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
  'form.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'idiomorph.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'reference.css': 'text/css; charset=utf-8',
  'reference.js': 'text/javascript; charset=utf-8'
} as const
export type AssetName = keyof typeof assetTypes

interface Asset {
  text: Buffer
  version: string
}

const loaded = new Map<AssetName, Asset>()

/** Files of packages. */
const packaged: Partial<Record<AssetName, string>> = {
  'idiomorph.js': 'idiomorph/dist/idiomorph.min.js'
}

export function loadAsset (name: AssetName): Asset {
  let asset = loaded.get(name)
  if (asset === undefined) {
    const inPackage = packaged[name]
    const path =
      inPackage === undefined
        ? join(packageFolder, 'routes/assets', name)
        : createRequire(import.meta.url).resolve(inPackage)
    const text = readFileSync(path)
    loaded.set(name, (asset = { text, version: hash('sha256', text, 'hex').slice(0, 12) }))
  }
  return asset
}

/** Path of a file with its version, so that browsers can cache it forever. */
export function assetPath (name: AssetName): string {
  return `/static/pages/${name}?v=${loadAsset(name).version}`
}
