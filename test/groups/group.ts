import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { root } from '../docs/markdown.ts'
import { isFull, long } from '../support/full.ts'
import { limitEachTest } from '../support/limits.ts'

const { include }: { include: string[] } = parse(readFileSync(join(root, '.taprc'), 'utf8'))

// .taprc can only name it from here, and tests start programs in other folders.
const { NODE_COMPILE_CACHE: cache } = process.env
if (cache !== undefined) process.env.NODE_COMPILE_CACHE = resolve(root, cache)

/** Test files that have a process of their own. */
export const single = globSync(include, { cwd: root })

/** Files of a group that it does not run. */
export interface Exceptions {
  /** Files that do not belong to the group. */
  except?: string
  /** Files that take long: only `npm run test:full` runs them. */
  full?: string
}

/**
 * Runs test files in this process, except those that have their own. The start of a process costs
 * about 2 s of processor time, more than most of these files need.
 */
export async function runFiles (
  pattern: string,
  { except = '', full = '' }: Exceptions = {}
): Promise<void> {
  const find = (files: string): string[] => globSync(files, { cwd: root })
  const others = [...single, ...find(except)]
  const files = find(pattern).filter((file) => !others.includes(file))
  const skipped = isFull ? [] : find(full)
  limitEachTest()
  t.ok(files.length > 0, `${files.length} files ${pattern}`)
  for (const file of files.sort()) {
    if (skipped.includes(file)) t.test(file, long, async () => {})
    else await import(join(root, file))
  }
}
