import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The verification of a callback in the user's language: the files of examples/verify. */

export const languages = {
  node: 'verify.mjs',
  php: 'verify.php',
  python: 'verify.py',
  go: 'verify.go'
} as const
export type Language = keyof typeof languages

/** The lines that verify a callback. */
export function verificationIn (language: Language): string | undefined {
  const here = dirname(fileURLToPath(import.meta.url))
  // Next to the source, or one folder further up next to the built files.
  for (const root of ['../..', '../../..']) {
    try {
      return readFileSync(join(here, root, 'examples/verify', languages[language]), 'utf8').trim()
    } catch {
      // The file may be in the other place.
    }
  }
}
