import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../docs/markdown.ts'

/** Recipes of docs/recipes.md: each starts the package in another language, and makes a payment. */

const sh = promisify(execFile)

export interface LanguageRecipe {
  name: string
  file: string
  /** Command that runs the file. */
  run: [program: string, ...args: string[]]
  /** Command that succeeds if the language is installed. */
  probe: [program: string, ...args: string[]]
}

export const languageRecipes: LanguageRecipe[] = [
  {
    name: 'PHP',
    file: 'deposit.php',
    run: ['php'],
    probe: ['php', '-r', 'curl_version();']
  },
  { name: 'Python', file: 'deposit.py', run: ['python3'], probe: ['python3', '--version'] },
  { name: 'Go', file: 'deposit.go', run: ['go', 'run'], probe: ['go', 'version'] },
  { name: 'Java', file: 'Deposit.java', run: ['java'], probe: ['javac', '-version'] }
]

/** Tells whether a language is installed. */
export async function isInstalled ({ probe }: LanguageRecipe): Promise<boolean> {
  const [program, ...args] = probe
  return await sh(program, args).then(
    () => true,
    () => false
  )
}

/** Runs a recipe in a folder with the package. Returns what it prints. */
export async function runRecipe (
  { file, run: [program, ...args] }: LanguageRecipe,
  cwd: string,
  env: NodeJS.ProcessEnv
): Promise<string> {
  const recipe = join(root, 'examples/recipes', file)
  // Go compiles its own library the first time.
  const cache = { GOCACHE: join(root, 'node_modules/.cache/go') }
  const { stdout } = await sh(program, [...args, recipe], { cwd, env: { ...env, ...cache } })
  return stdout
}
