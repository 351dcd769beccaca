import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and its parents one by one: where one cannot be made (under /proc), the recursive
 * call of Node never ends.
 */
export function makeFolder (path: string): void {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there?.isDirectory() === true) return
  if (there === undefined && dirname(path) !== path) makeFolder(dirname(path))
  mkdirSync(path)
}
