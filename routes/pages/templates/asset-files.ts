import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../../src/lib/package.ts'

/** Files that the pages load: style sheets, scripts and an icon, all of our own. */

export const assetTypes = {
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
  'form.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
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

export function loadAsset (name: AssetName): Asset {
  let asset = loaded.get(name)
  if (asset === undefined) {
    const text = readFileSync(join(packageFolder, 'routes/assets', name))
    loaded.set(name, (asset = { text, version: hash('sha256', text, 'hex').slice(0, 12) }))
  }
  return asset
}

/** Path of a file with its version, so that browsers can cache it forever. */
export function assetPath (name: AssetName): string {
  return `/static/pages/${name}?v=${loadAsset(name).version}`
}
