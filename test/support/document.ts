import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { App } from '../../src/app.ts'

/**
 * OpenAPI document of the server. Making it takes longer than many tests, so the first test stores
 * it for the others, until a source file changes.
 */
export async function documentOf (app: App): Promise<Record<string, any>> {
  const kept = join(folder, `openapi-${fingerprint()}.json`)
  try {
    return JSON.parse(readFileSync(kept, 'utf8'))
  } catch {
    const { body } = await app.http.inject('/__admin/openapi.json')
    mkdirSync(folder, { recursive: true })
    // Whole or not at all: others may be reading.
    writeFileSync(`${kept}.${process.pid}`, body)
    renameSync(`${kept}.${process.pid}`, kept)
    return JSON.parse(body)
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'node_modules/.cache/momock')

function fingerprint (): string {
  const hash = createHash('sha256').update(root).update(process.version)
  for (const file of globSync(
    ['{src,routes,simulator,db}/**/*.{ts,js,json}', 'package-lock.json'],
    { cwd: root }
  ).sort()) {
    const { size, mtimeMs } = statSync(join(root, file))
    hash.update(`${file} ${size} ${mtimeMs}\n`)
  }
  return hash.digest('hex').slice(0, 16)
}
