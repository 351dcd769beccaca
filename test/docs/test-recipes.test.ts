import { execFile } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { folder } from '../support/helper.ts'
import { root } from './markdown.ts'

/** Test suites of examples/recipes in other languages, each with the runner of its language. */

const sh = promisify(execFile)
const recipes = join(root, 'examples/recipes')
const verify = join(root, 'examples/verify')

/** JARs of Debian's junit5. */
const jars = [
  'junit-jupiter-api',
  'junit-jupiter-engine',
  'junit-platform-commons',
  'junit-platform-console',
  'junit-platform-engine',
  'junit-platform-launcher',
  'junit-platform-reporting',
  'opentest4j',
  'opentest4j-reporting-events',
  'opentest4j-reporting-schema',
  'apiguardian-api',
  'picocli'
]
const classPath = jars.map((name) => `/usr/share/java/${name}.jar`).join(':')

interface TestRecipe {
  runner: string
  /** Commands that show that the runner is installed; the first that works is used. */
  probes: string[][]
  /** Runs the tests in a folder with the program. */
  run: (program: string, app: string) => string[]
  /** What the runner prints about seven tests that passed. */
  passed: RegExp
}

const testRecipes: TestRecipe[] = [
  {
    runner: 'pytest',
    probes: ['python3', '/usr/bin/python3'].map((program) => [
      program,
      '-c',
      'import pytest, cryptography'
    ]),
    run: (program) => [program, '-m', 'pytest', '-p', 'no:cacheprovider', join(recipes, 'python')],
    passed: /7 passed/
  },
  {
    runner: 'PHPUnit',
    probes: [['phpunit', '--version']],
    run: (program) => [program, '--do-not-cache-result', join(recipes, 'php/ShopTest.php')],
    passed: /OK \(7 tests/
  },
  {
    runner: 'Go test',
    probes: [['go', 'version']],
    run: (program, app) => {
      cpSync(join(recipes, 'go'), app, { recursive: true })
      cpSync(join(verify, 'verify.go'), join(app, 'verify/verify.go'))
      return ['sh', '-c', `${program} vet ./... && ${program} test -v . | grep -c '^--- PASS'`]
    },
    passed: /^7\n$/
  },
  {
    runner: 'JUnit',
    probes: [['java', '-cp', classPath, 'org.junit.platform.console.ConsoleLauncher', '--help']],
    run: (program) => {
      const sources = `${join(verify, 'Verify.java')} ${join(recipes, 'java')}/*.java`
      const launcher = 'org.junit.platform.console.ConsoleLauncher --scan-classpath classes'
      const runs = `${program} -cp ${classPath}:classes ${launcher}`
      return ['sh', '-c', `javac -d classes -cp ${classPath} ${sources} && ${runs}`]
    },
    passed: /7 tests successful/
  }
]

/** Finds the program of a runner. */
async function findProgram ({ probes }: TestRecipe): Promise<string | undefined> {
  for (const [program, ...args] of probes) {
    const works = await sh(program, args).then(
      () => true,
      () => false
    )
    if (works) return program
  }
}

for (const recipe of testRecipes) {
  const program = await findProgram(recipe)
  const isMissing = program === undefined && process.env.SAMPLE_TESTS !== 'required'
  t.test(
    `seven tests of a shop pass in ${recipe.runner}`,
    { ...(isMissing && { skip: `${recipe.runner} is not installed` }), timeout: 240_000 },
    async (t) => {
      const app = folder(t)
      const momock = join(app, 'node_modules/.bin/momock')
      mkdirSync(join(app, 'node_modules/.bin'), { recursive: true })
      const main = join(root, 'src/main.js')
      writeFileSync(momock, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
      chmodSync(momock, 0o755)
      const [command, ...args] = recipe.run(program ?? recipe.runner, app)
      const { stdout } = await sh(command, args, {
        cwd: app,
        env: {
          ...process.env,
          MOMOCK: momock,
          PYTHONDONTWRITEBYTECODE: '1',
          GOCACHE: join(root, 'node_modules/.cache/go')
        }
      }).catch((error: { stdout: string; stderr: string }) => {
        t.comment(error.stdout + error.stderr)
        return error
      })
      t.match(stdout, recipe.passed)
    }
  )
}
