import { readFileSync } from 'node:fs'

/** From the package beside the source, or one folder further up beside the built files. */
function readVersion (): string {
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
      if (name === 'momock') return version
    } catch {}
  }
  return 'unknown'
}

export const version = readVersion()
