import { globSync } from 'node:fs'
import { root } from '../docs/markdown.ts'
import { runFiles } from './group.ts'

/**
 * Several servers on one ledger: only in the full run. These files mostly wait, so they are parted
 * into groups that run beside each other, and whose names put them first.
 */

const parts = 4

/** Runs a part of the files, from 1 to 4. */
export async function runReplicas (part: number): Promise<void> {
  const files = globSync('test/replicas/*.test.ts', { cwd: root })
    .sort()
    .filter((_, index) => index % parts === part - 1)
  await runFiles(`{${files.join(',')}}`, { full: 'test/replicas/*.test.ts' })
}
