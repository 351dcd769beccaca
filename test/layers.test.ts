import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

/** The shape of the source: imports point one way, files stay short, and names are nouns one can say aloud. */

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['src', 'routes', 'simulator', 'db']
const longestFile = 300
const shyNames = /manager|helper|utils?$/i

/** From the bottom up. Each place is a file or a folder; the longest that fits counts. A file imports from its own layer or from those below. */
const layers: Array<[name: string, places: string[]]> = [
  ['domain and time', ['src/domain/', 'src/clock.ts', 'src/duration.ts', 'src/check.ts', 'src/type.ts', 'src/ids.ts', 'src/version.ts', 'src/engine.js', 'src/log.ts', 'src/address.ts', 'src/meters.ts']],
  ['spelling, scripts and settings', ['src/wire/', 'src/security/', 'simulator/script.ts', 'simulator/choice.ts', 'simulator/scenarios.ts', 'simulator/retries.ts', 'src/document.ts', 'src/flags.ts', 'src/config.ts']],
  ['storage', ['db/']],
  ['verbs and drivers', ['src/payments.ts', 'src/checkouts.ts', 'src/payment-page.ts', 'src/handset.ts', 'src/records.ts', 'src/waiting.ts', 'src/followers.ts', 'src/sinks.ts', 'src/finances.ts', 'src/downloads.ts', 'src/journal.ts', 'src/exercises.ts', 'src/metrics.ts', 'src/verification.ts', 'src/accounts.ts', 'src/flaws.ts', 'src/steward.ts', 'src/auditor.ts', 'src/configured.ts', 'simulator/']],
  ['routes', ['routes/', 'src/openapi/']],
  ['everything together', ['src/app.ts', 'src/annex.ts']],
  ['the ways in', ['src/server.ts', 'src/banner.ts', 'src/answers.ts', 'src/questions.ts', 'src/client.ts', 'src/momock-error.ts', 'src/index.ts', 'src/cli.ts', 'src/cli/', 'src/main.js']]
]

/** What only some may know. */
const secrets: Array<[what: string, test: (imported: string) => boolean, who: string[]]> = [
  ['the storage, but through src/domain/ports.ts', (imported) => imported.startsWith('db/'), ['db/', 'src/app.ts', 'src/annex.ts']],
  ['HTTP', (imported) => imported === 'fastify', ['routes/', 'src/openapi/', 'src/app.ts', 'src/annex.ts']],
  ['SQLite', (imported) => imported === 'better-sqlite3', ['db/']]
]

interface Source {
  path: string
  text: string
  /** Paths from the root for our own files, names for packages. */
  imports: string[]
  /** Those of them that are still there when the types are stripped. */
  runs: string[]
}

const sources = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.[jt]s$/.test(name) && !name.startsWith('assets/'))
  .map((name) => read(join(folder, name))))

function read (path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, imports: importsOf(path, text), runs: importsOf(path, text.replace(/^(import|export) type [^'"]*from '[^']*'/gm, '')) }
}

function importsOf (path: string, text: string): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName.startsWith('.') ? normalize(join(path, '..', fileName)) : fileName)
}

function isOurs (imported: string): boolean {
  return folders.some((folder) => imported.startsWith(`${folder}/`))
}

/** Which layer a file belongs to; -1 for none. */
function layerOf (path: string): number {
  let [layer, length] = [-1, 0]
  layers.forEach(([, places], index) => {
    for (const place of places) if (path.startsWith(place) && place.length > length) [layer, length] = [index, place.length]
  })
  return layer
}

function nameOf (path: string): string {
  return layers[layerOf(path)]?.[0] ?? 'nowhere'
}

t.test('every file has a layer', async (t) => {
  t.ok(sources.length > 30, `${sources.length} files`)
  t.same(sources.filter(({ path }) => layerOf(path) < 0).map(({ path }) => path), [], 'give a new one a place in the table above')
})

t.test('imports point down', async (t) => {
  const wrong = sources.flatMap(({ path, imports }) => imports.filter(isOurs)
    .filter((imported) => layerOf(imported) > layerOf(path))
    .map((imported) => `${path} (${nameOf(path)}) imports ${imported} (${nameOf(imported)})`))
  t.same(wrong, [])
})

t.test('the domain knows nothing but itself and the time', async (t) => {
  const allowed = /^(src\/domain\/.*|src\/(clock|duration|check|type)\.ts|@sinclair\/typebox)$/
  t.same(sources.filter(({ path }) => path.startsWith('src/domain/')).flatMap(({ path, imports }) => imports
    .filter((imported) => !allowed.test(imported)).map((imported) => `${path} imports ${imported}`)), [])
  t.same(sources.filter(({ path }) => /^src\/(clock|duration|check|type)\.ts$/.test(path)).flatMap(({ imports }) => imports.filter((imported) => isOurs(imported) && imported !== 'src/type.ts')), [])
})

for (const [what, test, who] of secrets) {
  t.test(`few know ${what}`, async (t) => {
    t.same(sources.filter(({ path, imports }) => imports.some(test) && !who.some((place) => path.startsWith(place))).map(({ path }) => path), [])
  })
}

t.test('no file loads itself, however long the way', async (t) => {
  const known = new Map(sources.map(({ path, runs }) => [path, runs.filter(isOurs)]))
  const done = new Set<string>()
  const circles: string[] = []
  const walk = (path: string, way: string[]): void => {
    if (way.includes(path)) circles.push([...way.slice(way.indexOf(path)), path].join(' > '))
    if (done.has(path) || way.includes(path)) return
    for (const imported of known.get(path) ?? []) walk(imported, [...way, path])
    done.add(path)
  }
  for (const path of known.keys()) walk(path, [])
  t.same(circles, [])
})

t.test('files stay short', async (t) => {
  const long = sources.map(({ path, text }) => ({ path, lines: text.trimEnd().split('\n').length })).filter(({ lines }) => lines > longestFile)
  t.same(long, [], `at most ${longestFile} lines`)
})

t.test('nothing is called Manager, Helper or Utils', async (t) => {
  const shy = sources.flatMap(({ path, text }) => [basename(path, '.ts'), ...declared(path, text)].filter((name) => shyNames.test(name)).map((name) => `${path}: ${name}`))
  t.same(shy, [], 'the thing is in the wrong place')
})

/** The name of everything a file declares. */
function declared (path: string, text: string): string[] {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    const { name } = node as ts.NamedDeclaration
    if (ts.isDeclarationStatement(node) || ts.isVariableDeclaration(node) || ts.isMethodDeclaration(node)) if (name !== undefined && ts.isIdentifier(name)) names.push(name.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest))
  return names
}
