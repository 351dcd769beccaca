import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'

/** Files that the pages load: a style sheet, a script and an icon, all of our own. */

export const assetTypes = {
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
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

/** The source keeps the files next to the pages; the package keeps them outside of dist. */
const folders = ['../../assets/', '../../../../routes/assets/'].map(
  (path) => new URL(path, import.meta.url)
)

const loaded = new Map<AssetName, Asset>()

export function loadAsset (name: AssetName): Asset {
  let asset = loaded.get(name)
  if (asset === undefined) {
    const folder = folders.find((folder) => existsSync(new URL(name, folder)))
    if (folder === undefined) throw new Error(`the file ${name} is missing from the package`)
    const text = readFileSync(new URL(name, folder))
    loaded.set(name, (asset = { text, version: hash('sha256', text, 'hex').slice(0, 12) }))
  }
  return asset
}

/** Path of a file with its version, so that browsers can cache it forever. */
export function assetPath (name: AssetName): string {
  return `/static/pages/${name}?v=${loadAsset(name).version}`
}
