import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { findBuiltProgram } from '../support/built-program.ts'

/** The package in a Node that is too old, as this one plays it. */

const sh = promisify(execFile)
const version = '20.20.2'

/** `node:module` of Node 20: it has no hooks of its own and no compile cache. */
const oldModule = `
  import module from 'node:module'
  const { registerHooks, enableCompileCache, ...old } = module
  export default old
  export const createRequire = module.createRequire
`
const oldNode = `
  import { registerHooks } from 'node:module'
  const url = 'data:text/javascript,' + encodeURIComponent(${JSON.stringify(oldModule)})
  Object.defineProperty(process, 'version', { value: 'v${version}' })
  Object.defineProperty(process, 'versions', {
    value: { ...process.versions, node: '${version}' }
  })
  registerHooks({
    resolve (specifier, context, nextResolve) {
      if (specifier !== 'node:module' || context.parentURL?.startsWith('data:')) {
        return nextResolve(specifier, context)
      }
      return { url, format: 'module', shortCircuit: true }
    }
  })
`

const program = findBuiltProgram()
const index = join(dirname(program), 'index.js')
const use = '.createMomock().catch(({ message }) => console.log(message))'
const ways: Array<[way: string, args: string[]]> = [
  ['command', [program]],
  [
    'import',
    ['--input-type', 'module', '-e', `(await import('${pathToFileURL(index)}'))${use}`]
  ],
  ['require', ['-e', `require(${JSON.stringify(index)})${use}`]]
]

for (const [way, args] of ways) {
  t.test(`an old Node is named: ${way}`, async (t) => {
    const preload = `data:text/javascript,${encodeURIComponent(oldNode)}`
    const run = sh(process.execPath, ['--no-warnings', '--import', preload, ...args])
    const { stdout, stderr } = await run.catch((error) => error)
    t.equal(
      stdout + stderr,
      'momock cannot start: it needs Node.js 22.18 or later, but this is v20.20.2. ' +
        'Install a newer Node.js\n'
    )
  })
}
