import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import ts from 'typescript'
import { writeDeclarations } from '../../tools/declarations.ts'
import { read, root } from '../docs/markdown.ts'
import { long } from '../support/full.ts'
import { folder } from '../support/helper.ts'

/** The types of the package, as `npm run build` writes them. */

t.test('every field of the types has a comment from its schema', long, async (t) => {
  const dist = folder(t)
  const compiler = join(root, 'node_modules/typescript-7/bin/tsc')
  // tap adds NODE_OPTIONS to each program, and the compiler cannot be loaded with it.
  const command = ['-u', 'NODE_OPTIONS', process.execPath, compiler, '--outDir', dist]
  execFileSync('env', [...command, '--project', 'tsconfig.build.json'], { cwd: root })
  t.same(await writeDeclarations(dist), [])

  const types = join(dist, 'src/index.d.ts')
  const text = readFileSync(types, 'utf8')
  t.notMatch(text, /typebox|import\(/, 'they stand alone')
  t.match(text, /\/\*\* The number of all of them\. \*\/\n {4}total: number/)

  const options = {
    strict: true,
    noEmit: true,
    types: [],
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.NodeNext,
    paths: { momock: [types] }
  }
  const program = ts.createProgram([types, join(root, 'test/client/typos.ts')], options)
  const problems = ts.getPreEmitDiagnostics(program)
  t.same(
    problems.map(({ messageText, file }) => [file?.fileName, messageText]),
    [],
    'and they accept and refuse what the source does'
  )
  testHovers(t, types, options)
})

/** Fields as somebody writes them, and words of the text that an editor shows for them. */
const hovers: Array<[code: string, field: string, shown: RegExp]> = [
  ["mock.scenario({ fail: 'PAYER_NOT_FOUND', every: 3 })", 'every', /every third payment/],
  ["mock.scenario({ fail: 'PAYER_NOT_FOUND', times: 3 })", 'times', /how many payments/],
  ["mock.sendCallback('deposit', '', { wrongKey: true })", 'wrongKey', /key/],
  ["mock.scenario({ fault: 'lost', seed: 'a' })", 'seed', /same seed/],
  ["createMomock({ clock: 'frozen' })", 'clock', /clock/],
  ["mock.send('deposit', { amount: '15' })", 'amount', /amount such as/],
  ["mock.configure({ companyName: 'Shop' })", 'companyName', /\w+ \w+/],
  ["mock.advance({ until: 'idle' })", 'until', /due/]
]

/** Asks the language service of TypeScript, as an editor does. */
function testHovers (t: Test, types: string, options: ts.CompilerOptions): void {
  const lines = hovers.map(([code]) => `void ${code}\n`)
  const code = `import { createMomock, type MomockClient } from 'momock'
declare const mock: MomockClient
${lines.join('')}`
  const file = join(root, 'test/client/hovers.ts')
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
    getScriptFileNames: () => [file, types],
    getScriptVersion: () => '1',
    getScriptSnapshot: (path) => {
      const text = path === file ? code : ts.sys.readFile(path)
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
    },
    fileExists: (path) => path === file || ts.sys.fileExists(path),
    readFile: (path) => (path === file ? code : ts.sys.readFile(path))
  })
  t.same(service.getSemanticDiagnostics(file).map(({ messageText }) => messageText), [])
  for (const [line, field, shown] of hovers) {
    const position = code.indexOf(line) + line.indexOf(`${field}:`)
    const { documentation } = service.getQuickInfoAtPosition(file, position) ?? {}
    t.match(ts.displayPartsToString(documentation), shown, `an editor explains ${field}`)
  }
}

t.test('every type of the client stands beside its schema', async (t) => {
  const names = [...read('src/client/types.ts').matchAll(/^export type \{/gm)]
  t.ok(names.length > 30)
  t.notMatch(read('src/client/types.ts'), /Static<|interface/)
})
