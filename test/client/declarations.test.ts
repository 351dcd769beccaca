import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
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
})

t.test('every type of the client stands beside its schema', async (t) => {
  const names = [...read('src/client/types.ts').matchAll(/^export type \{/gm)]
  t.ok(names.length > 30)
  t.notMatch(read('src/client/types.ts'), /Static<|interface/)
})
