import { execFile } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { folder } from '../support/helper.ts'
import { read, root } from '../docs/markdown.ts'
import { limitEachTest, slow } from '../support/limits.ts'
import { deposit } from '../support/process.ts'
import { startProgram } from '../support/program.ts'
import { isInstalled, languageRecipes, runRecipe } from './language-recipes.ts'
import { runnerFolder, runnersAreThere, type Runner } from './runners.ts'

/** The package as others get it: packed, installed into an empty folder, and used there. */

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const sh = promisify(execFile)

/** Our own environment, without what npm and tap put into it for the processes they start. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) =>
      !/^(npm_(?!config_(registry|cafile|cache|userconfig))|NODE_OPTIONS$|_?TAP|INIT_CWD$)/i.test(
        name
      )
  )
)

limitEachTest()
const home = folder(t)
const app = join(home, 'app')
const modules = join(app, 'node_modules')
/** Runners are installed while the package is built. A failure is reported by their test. */
const runners = runnersAreThere(env).catch((error: Error) => {
  console.error(error.message)
  return false
})

/** Files that the package must contain, and files that it must not contain. */
const wanted = [
  'package.json',
  'README.md',
  'LICENSE',
  'dist/src/main.js',
  'dist/src/index.js',
  'dist/src/index.d.ts',
  'scenarios/happy-path.yaml',
  'docs/testing.md',
  'examples/testing/shop.mjs',
  'schemas/momock.schema.json',
  'schemas/scenario.schema.json',
  'routes/assets/page.css',
  'routes/assets/form.js',
  'routes/assets/page.js',
  'routes/assets/icon.svg'
]
const unwanted = new RegExp(
  String.raw`(^|/)(test|node_modules|\.ci|pictures)/|\.map$|(?<!\.d)\.ts$|Dockerfile|tsconfig|` +
    'eslint|package-lock'
)

await t.test('the package can be packed and installed', slow, async (t) => {
  // tap adds NODE_OPTIONS to each program, and the compiler cannot be loaded with it.
  const pack = ['-u', 'NODE_OPTIONS', 'npm', 'pack', '--json', '--pack-destination', home]
  const { stdout } = await sh('env', pack, {
    cwd: root,
    env,
    maxBuffer: 10_000_000
  })
  // The output of the build comes first.
  const [{ filename, files, size, unpackedSize }]: Packed[] = JSON.parse(
    stdout.slice(stdout.indexOf('[\n'))
  )
  const paths = files.map(({ path }) => path)
  t.same(
    wanted.filter((path) => !paths.includes(path)),
    [],
    'nothing is missing'
  )
  t.same(
    paths.filter((path) => unwanted.test(path)),
    [],
    'and nothing is in it that only developers need'
  )
  for (const document of paths.filter((path) => path.endsWith('.md'))) {
    const links = [...read(document).matchAll(/\]\(([^)#\s]+)|src="([^"]+)"/g)]
      .map(([, link, picture]) => link ?? picture)
      // Tests and pictures are only in a clone.
      .filter((link) => !/^\w+:|^(\.\.\/)*test\/|\bpictures\//.test(link))
    const missing = links.filter(
      (link) => !paths.some((path) => `${path}/`.startsWith(`${join(dirname(document), link)}/`))
    )
    t.same(missing, [], `the links of ${document} lead to what is in it`)
  }
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), '{ "private": true, "type": "module" }')
  await sh(
    'npm',
    [
      'install',
      join(home, filename),
      '--prefer-offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund'
    ],
    { cwd: app, env }
  )
  const sizes = { packed: size, unpacked: unpackedSize, node_modules: measureFolder(modules) }
  for (const [part, measured] of Object.entries(sizes)) {
    const [, shown] =
      new RegExp(`${part}\\b.* \\| ([0-9.]+) MB`).exec(read('docs/testing.md')) ?? []
    const megabytes = measured / 1e6
    t.ok(
      Math.abs(megabytes - Number(shown)) < Number(shown) * 0.15,
      `${part}: docs/testing.md says ${shown} MB, and it is ${megabytes.toFixed(1)} MB`
    )
  }
})

/** Result of `npm pack --json`. */
interface Packed {
  filename: string
  files: Array<{ path: string }>
  size: number
  unpackedSize: number
}

/** Sum of the sizes of all files in a folder. */
function measureFolder (path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** From here on they do not need each other. */
t.jobs = 2

/** No other types are installed there, and those of the package are checked too. */
const user = `
import { createMomock, type Config, type Momock, type TlsMomock } from 'momock'

const accounts = [{ name: 'shop', tokens: [{ token: 'shop-token' }] }]
const options: Partial<Config> = { clock: 'frozen', accounts }
export const mock: Momock = await createMomock(options)
export const url: string = mock.url
await using scoped = await createMomock()
export const variables: Record<string, string> = scoped.env
export const secure: TlsMomock = await createMomock({ tls: true })
secure.intercept()
// @ts-expect-error: only a mock with TLS can intercept
mock.intercept()
// @ts-expect-error: there is no such clock
await createMomock({ clock: 'fast' })
// @ts-expect-error: nor such a setting
await createMomock({ prot: 1 })
`

t.test('the types of the package are complete', { buffered: true, ...slow }, async (t) => {
  writeFileSync(join(app, 'user.ts'), user)
  copyFileSync(join(root, 'test/client/typos.ts'), join(app, 'typos.ts'))
  writeFileSync(
    join(app, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        module: 'nodenext',
        target: 'es2022',
        lib: ['es2022'],
        types: [],
        noEmit: true
      },
      files: ['user.ts', 'typos.ts']
    })
  )
  const compiler = fileURLToPath(import.meta.resolve('typescript/lib/tsc.js'))
  const { stdout } = await sh('env', ['node', compiler, '--project', app], { env }).catch(
    (error: { stdout: string }) => error
  )
  t.equal(stdout, '')
})

t.test('npx momock runs the commands', { buffered: true, ...slow }, async (t) => {
  t.match(
    (
      await sh('npx', ['--no-install', 'momock', 'validate', 'node_modules/momock/scenarios'], {
        cwd: app,
        env
      })
    ).stdout,
    /files are valid/
  )
})

t.test('the load generator is not installed, and momock load says so', async (t) => {
  t.notOk(existsSync(join(app, 'node_modules/autocannon')))
  const program = join(app, 'node_modules/.bin/momock')
  const failure = await sh(program, ['load', '--duration', '1s'], { cwd: app, env }).then(
    () => undefined,
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr })
  )
  t.match(failure, {
    code: 2,
    stderr: /momock load needs the package autocannon; install it with npm install/
  })
})

t.test('the installed program serves assistants', { buffered: true, ...slow }, async (t) => {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' }
    }
  }
  const running = sh('npx', ['momock', 'mcp'], { cwd: app, env })
  running.child.stdin?.end(`${JSON.stringify(message)}\n`)
  t.match(JSON.parse((await running).stdout), { id: 1, result: { serverInfo: { name: 'momock' } } })
})

t.test('the installed program makes a payment', { buffered: true, ...slow }, async (t) => {
  const program = startProgram(t, [join(app, 'node_modules/.bin/momock'), '--port', '0'], {
    cwd: app,
    env
  })
  const [line] = await program.prints(/^.*momock is ready.*(?=\n)/m)
  const { version: said, url, token, ledger, scenarios } = JSON.parse(line)
  t.equal(said, version)
  t.equal(ledger, join(app, 'data/momock.db'))
  t.ok(scenarios > 10, 'the scenarios are there')
  const response = await fetch(`${url}/v2/deposits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(deposit())
  })
  t.match(await response.json(), { status: 'ACCEPTED' })
  t.equal((await fetch(`${url}/__admin/docs`)).status, 200, 'and the reference')
  t.equal(
    (await fetch(`${url}/__admin/phone/260763456789`, { headers: { accept: 'text/html' } })).status,
    200,
    'and the pages'
  )
  t.match(await program.stop(), { code: 0, signal: null })
})

const script = `
import { createMomock } from 'momock'
const mock = await createMomock()
const headers = { authorization: \`Bearer \${mock.token}\`, 'content-type': 'application/json' }
const body = ${JSON.stringify(JSON.stringify(deposit()))}
const response = await fetch(\`\${mock.url}/v2/deposits\`, { method: 'POST', headers, body })
console.log((await response.json()).status)
await mock.close()
`

t.test(
  'the installed library pays, and the process ends',
  { buffered: true, ...slow },
  async (t) => {
    writeFileSync(join(app, 'use.js'), script)
    const { stdout, stderr } = await sh('env', ['node', 'use.js'], { cwd: app, env })
    t.same({ stdout, stderr }, { stdout: 'ACCEPTED\n', stderr: '' })
  }
)

/** The usual limit of a test is 5 s. On a busy machine the first payment takes longer. */
const patience = '--testTimeout=60000'

/**
 * Commands for the recipes of docs/testing.md. Tap is a development dependency; the other runners
 * are not part of the project.
 */
const recipes: Array<{
  recipe: string
  args: string[]
  runner?: Runner
  env?: Record<string, string>
  output?: RegExp
}> = [
  { recipe: 'node-test', args: [] },
  { recipe: 'forged-callbacks', args: [], output: /forged callback: otherHost/ },
  { recipe: 'exam-node-test', args: [], output: /passes the exam/ },
  { recipe: 'tap', args: [] },
  {
    recipe: 'jest',
    runner: 'jest',
    args: [join(app, 'node_modules/jest/bin/jest.js'), patience],
    env: { NODE_OPTIONS: '--experimental-vm-modules' }
  },
  {
    recipe: 'vitest',
    runner: 'vitest',
    args: [join(app, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=verbose', patience]
  },
  {
    recipe: 'exam-vitest',
    runner: 'vitest',
    args: [join(app, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=verbose', patience],
    output: /passes the exam/
  }
]

/** Output of a recipe that makes payments. */
const payments = /a customer pays[\s\S]*a customer has no money/

const areThere = await runners
if (!areThere) {
  console.error(
    '\n*** RECIPES NOT RUN: Jest and Vitest are not here; RUNNER_TESTS=required installs and ' +
      'runs them. ***\n'
  )
}
const place = join(app, 'recipes')
cpSync(join(root, 'examples/testing'), place, { recursive: true })
cpSync(join(root, 'examples/verify'), join(app, 'verify'), { recursive: true })
symlinkSync(join(root, 'node_modules/tap'), join(app, 'node_modules/tap'))
for (const { recipe, runner, args, env: more, output = payments } of recipes) {
  const missing = runner !== undefined && !areThere && process.env.RUNNER_TESTS !== 'required'
  t.test(
    `the recipe for ${recipe} passes`,
    {
      buffered: true,
      ...slow,
      ...(missing && {
        skip: `${runner} is not here, so it was not run; RUNNER_TESTS=required installs it`
      })
    },
    async (t) => {
      const link = join(app, 'node_modules', runner ?? '')
      if (runner !== undefined && !existsSync(link)) symlinkSync(runnerFolder(runner), link)
      const { stdout, stderr, code } = (await sh('env', ['node', ...args, `${recipe}.test.mjs`], {
        cwd: place,
        env: { ...env, ...more }
      }).catch((error: Ended) => error)) as Ended
      if (code !== undefined) t.comment(stdout + stderr)
      t.equal(code, undefined, 'it passes')
      t.match(stdout + stderr, output)
    }
  )
}

for (const recipe of languageRecipes) {
  const isMissing = process.env.SAMPLE_TESTS !== 'required' && !(await isInstalled(recipe))
  if (isMissing) console.error(`\n*** RECIPE NOT RUN: ${recipe.name} is not installed. ***\n`)
  t.test(
    `the recipe for ${recipe.name} makes a payment and receives its callback`,
    { buffered: true, ...slow, ...(isMissing && { skip: `${recipe.name} is not installed` }) },
    async (t) => {
      t.equal(await runRecipe(recipe, app, env), 'answer: ACCEPTED\ncallback: COMPLETED\n')
    }
  )
}

/** Output of a program, and its exit code if it failed. */
interface Ended {
  stdout: string
  stderr: string
  code?: number
}
