import { readFileSync } from 'node:fs'

/** Reads the version from package.json: next to the source, or one folder above the build. */
function readVersion (): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
      if (name === 'momock') return version
    } catch {}
  }
  return 'unknown'
}

/** Version of this package. */
export const version = readVersion()
