import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { App } from '../../src/app.ts'
import { cacheFolder, fingerprint } from './cache.ts'

/**
 * OpenAPI document of the server. Making it takes longer than many tests, so the first test stores
 * it for the others, until a source file changes.
 */
export async function documentOf (app: App): Promise<Record<string, any>> {
  const kept = join(cacheFolder, `openapi-${fingerprint()}.json`)
  try {
    return JSON.parse(readFileSync(kept, 'utf8'))
  } catch {
    const { body } = await app.http.inject('/__admin/openapi.json')
    mkdirSync(cacheFolder, { recursive: true })
    // Whole or not at all: others may be reading.
    writeFileSync(`${kept}.${process.pid}`, body)
    renameSync(`${kept}.${process.pid}`, kept)
    return JSON.parse(body)
  }
}
