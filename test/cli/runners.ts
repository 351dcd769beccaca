import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../docs/markdown.ts'

/**
 * Test runners that only the recipes of docs/testing.md need. They are no dependencies of the
 * project, because they are some three hundred packages; where RUNNER_TESTS=required they are put
 * beside those.
 */

/**
 * Each with its version. What Vitest is built on is named too, in versions that exist for every
 * platform.
 */
const versions = { jest: '30.5.2', vitest: '5.1.0', vite: '8.3.8', rolldown: '1.2.18' } as const

export type Runner = 'jest' | 'vitest'

const home = join(realpathSync(join(root, 'node_modules')), '.cache/runners')

/** Folder in which a runner is installed. */
export function runnerFolder (runner: Runner): string {
  return join(home, 'node_modules', runner)
}

/** Are they there? Where they must be, they are installed. */
export async function runnersAreThere (env: NodeJS.ProcessEnv): Promise<boolean> {
  if (areInstalled()) return true
  if (process.env.RUNNER_TESTS !== 'required') return false
  const packages = Object.entries(versions).map(([name, version]) => `${name}@${version}`)
  await promisify(execFile)(
    'npm',
    [
      'install',
      '--prefix',
      home,
      '--no-save',
      '--no-package-lock',
      '--prefer-offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      ...packages
    ],
    { env }
  )
  return areInstalled()
}

/** npm writes this list when everything else is in its place. */
function areInstalled (): boolean {
  const list = join(home, 'node_modules/.package-lock.json')
  if (!existsSync(list)) return false
  const { packages }: { packages: Record<string, { version: string } | undefined> } = JSON.parse(
    readFileSync(list, 'utf8')
  )
  return Object.entries(versions).every(
    ([name, version]) => packages[`node_modules/${name}`]?.version === version
  )
}
