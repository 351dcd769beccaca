import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { long } from '../support/full.ts'
import { limitEachTest } from '../support/limits.ts'

/** What a new kind needs. */

limitEachTest()

const root = fileURLToPath(new URL('../..', import.meta.url))
const kindsFile = join(root, 'src/domain/kinds.ts')

/** Errors that the compiler reports when the table of kinds is changed. */
async function compileWith (change: (text: string) => string): Promise<string[]> {
  const { default: ts } = await import('typescript')
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path))
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (path, ...rest) =>
    path === kindsFile
      ? ts.createSourceFile(path, change(readFileSync(path, 'utf8')), rest[0])
      : getSourceFile(path, ...rest)
  const program = ts.createProgram(
    [join(root, 'src/index.ts'), join(root, 'src/app.ts')],
    options,
    host
  )
  return program.getSemanticDiagnostics().map(({ file, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, ' ')
    return `${relative(root, file?.fileName ?? '')}: ${message}`
  })
}

t.test('a new kind needs a row, and a codec in each version that has it', long, async (t) => {
  const addRow = (text: string): string =>
    text.replace(
      'const rows = {',
      `const rows = {
  topUp: {
    name: 'topUp',
    path: 'top-ups',
    idField: 'topUpId',
    party: 'recipient',
    operation: 'PAYOUT',
    callback: 'topUps',
    money: 'out',
    stateMachine: 'queueing',
    rules: 'wallet',
    versions: ['v1', 'v2'],
    ledgerCode: 7
  },`
    )
  const errors = await compileWith(addRow)
  t.strictSame(
    errors.map((error) => error.slice(0, error.indexOf(':'))).sort(),
    ['src/wire/v1/wire.ts', 'src/wire/v2/wire.ts'],
    'everything else is written for all kinds'
  )
  for (const error of errors) t.match(error, /'topUp' is missing/)
})
