import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../lib/package.ts'

/** The verification of a callback in the user's language: the files of examples/verify. */

export const languages = {
  node: 'verify.mjs',
  php: 'verify.php',
  python: 'verify.py',
  go: 'verify.go',
  java: 'Verify.java'
} as const
export type Language = keyof typeof languages

/** The lines that verify a callback. The package and the image contain the files. */
export function verificationIn (language: Language): string {
  const path = join(packageFolder, 'examples/verify', languages[language])
  return readFileSync(path, 'utf8').trim()
}
