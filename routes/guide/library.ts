import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/lib/package.ts'

/** The files of the guide: what the package has for readers. Nothing else is served. */

/** Address of the guide. The address of a file is its path below it. */
export const guideHome = '/__admin/docs/guide'
/** Page that opens the guide, and whose tables are its contents. */
export const firstPage = 'docs/README.md'

const places = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'LICENSE',
  'AGENTS.md',
  'schemas',
  'skills',
  'docs',
  'scenarios',
  'examples'
]
const leftOut = /^(\.|node_modules$|pictures$)|\.png$/

let listed: Set<string> | undefined

/** Paths of all files, read once. */
function listFiles (): Set<string> {
  return (listed ??= new Set(places.flatMap(filesBelow)))
}

function filesBelow (path: string): string[] {
  const place = join(packageFolder, path)
  if (!existsSync(place)) return []
  if (!statSync(place).isDirectory()) return [path]
  return readdirSync(place)
    .filter((name) => !leftOut.test(name))
    .flatMap((name) => filesBelow(`${path}/${name}`))
}

/** Text of a file of the guide. */
export function readGuideFile (path: string): string | undefined {
  return listFiles().has(path) ? readFileSync(join(packageFolder, path), 'utf8') : undefined
}

/** Files in a folder, also in those below it. */
export function filesOfFolder (path: string): string[] {
  return [...listFiles()].filter((file) => file.startsWith(`${path}/`)).sort()
}

/** Address of a file or folder of the guide; undefined if the guide does not have it. */
export function addressOf (path: string): string | undefined {
  if (path === firstPage) return guideHome
  const isKnown = listFiles().has(path) || filesOfFolder(path).length > 0
  return isKnown ? `${guideHome}/${path}` : undefined
}
