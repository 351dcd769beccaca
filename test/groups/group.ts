import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { root } from '../docs/markdown.ts'

const { include }: { include: string[] } = parse(readFileSync(join(root, '.taprc'), 'utf8'))

/** Test files that have a process of their own. */
export const single = globSync(include, { cwd: root })

/**
 * Runs the test files of a folder in this process, except those that have their own. The start of
 * a process costs about 2 s of processor time, more than most of these files need.
 */
export async function runFolder (folder: string, except: string[] = []): Promise<void> {
  const files = globSync(`test/${folder}/*.test.ts`, { cwd: root })
    .filter((file) => !single.includes(file) && !except.includes(basename(file)))
    .sort()
  t.setTimeout(0)
  t.ok(files.length > 0, `${files.length} files in test/${folder}`)
  for (const file of files) await import(join(root, file))
}
