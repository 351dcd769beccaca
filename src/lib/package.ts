import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { folder, version } = findPackage(dirname(fileURLToPath(import.meta.url)))

/** Folder of this package, with package.json, scenarios and assets: above the source or dist. */
export const packageFolder: string = folder

export { version }

/** Finds the package.json of this package in a folder or above it. */
function findPackage (folder: string): { folder: string; version: string } {
  try {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    if (name === 'momock') return { folder, version }
  } catch {}
  const parent = dirname(folder)
  return parent === folder ? { folder, version: 'unknown' } : findPackage(parent)
}
