import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import ts from 'typescript'

/** Shape of the source: imports point down the layers. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders = ['src', 'routes', 'simulator', 'db']

/** Layers from the bottom up. A folder imports from itself and from the layers below, no others. */
const layers: string[][] = [
  ['src/lib'],
  ['src/domain'],
  ['src/ports'],
  ['src/verification'],
  ['src/reports', 'src/reports/exam'],
  ['src/wire', 'src/wire/v1', 'src/wire/v2', 'src/security'],
  ['src/listening'],
  ['src/scenarios'],
  ['src/accounts'],
  ['db', 'db/sqlite', 'db/postgres', 'src/monitoring', 'src/lint'],
  ['simulator'],
  ['src/services'],
  ['src/config', 'src/openapi', 'src/admin-api'],
  ['src/tls', 'src/mcp'],
  ['routes/http'],
  ['src/servers'],
  [
    'routes/api',
    'routes/admin',
    'routes/pages',
    'routes/pages/templates',
    'routes/reference',
    'routes/guide',
    'routes/dashboard',
    'routes/dashboard/templates',
    'routes'
  ],
  ['src/client'],
  ['src/exam'],
  ['src/build'],
  ['src'],
  ['src/conform', 'src/vectors'],
  ['src/cli/load', 'src/cli']
]

/** Modules that only some folders may import. */
const restricted: Array<[what: string, test: (imported: string) => boolean, who: string[]]> = [
  [
    'the storage',
    (imported) => imported.startsWith('db/'),
    ['db', 'db/sqlite', 'db/postgres', 'src', 'src/build']
  ],
  [
    'fastify',
    (imported) => imported === 'fastify',
    ['routes', 'src/servers', 'src/build', 'src', 'src/openapi']
  ],
  ['better-sqlite3', (imported) => imported === 'better-sqlite3', ['db/sqlite']],
  ['pg', (imported) => imported === 'pg', ['db/postgres']]
]

interface Source {
  path: string
  folder: string
  /** Paths from the root for our own files, names for packages. Type imports are included. */
  imports: string[]
}

const sources = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[jt]s$/.test(name) && !name.startsWith('assets/'))
    .map((name) => readSource(join(folder, name)))
)

function readSource (path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const imports = ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) =>
      fileName.startsWith('.') ? normalize(join(path, '..', fileName)) : fileName
    )
  return { path, folder: dirname(path), imports }
}

/** Number of the layer of a folder; -1 for none. */
function layerOf (folder: string): number {
  return layers.findIndex((layer) => layer.includes(folder))
}

/** All that knows that several servers can share a ledger. */
const sharing = /^(src\/servers\/|src\/domain\/server-list\.ts|db\/postgres\/servers\.ts)/

t.test('one file of the composition knows that there can be several servers', async (t) => {
  const wrong = sources.filter(
    ({ path, imports }) => !sharing.test(path) && imports.some((one) => sharing.test(one))
  )
  t.same(
    wrong.map(({ path }) => path),
    ['src/build/servers.ts']
  )
})

t.test('every folder has a layer', async (t) => {
  t.ok(sources.length > 30, `${sources.length} files`)
  const unknown = new Set(
    sources.map(({ folder }) => folder).filter((folder) => layerOf(folder) < 0)
  )
  t.same([...unknown], [], 'add a new folder to the list above')
})

for (const [what, test, who] of restricted) {
  t.test(`only some folders import ${what}`, async (t) => {
    const wrong = sources.filter(
      ({ folder, imports }) =>
        imports.some(test) &&
        !who.some(
          (place) => folder === place || (place === 'routes' && folder.startsWith('routes/'))
        )
    )
    t.same(
      wrong.map(({ path }) => path),
      []
    )
  })
}
