import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { parseArgs } from 'node:util'

/**
 * `npm run test:changed` runs the groups of the files that differ from a commit (`--base`, which is
 * HEAD). Continuous integration runs all of them.
 */

/** Groups of a changed path. The first row that fits decides; a path of no row needs all groups. */
const rows: Array<[path: RegExp, groups: string]> = [
  [/^test\/replicas\//, 'a-replicas-*'],
  [/^test\/(api|admin|client|cli|db|docs|security|simulator|tls)\//, '$1'],
  [/^test\/(pages|dashboard)\/.*browser/, 'browser'],
  [/^test\/(pages|dashboard)\//, 'pages'],
  [/^test\/exam\/.*\.full\./, 'a-exams-full'],
  [/^test\/(conform|exam)\//, 'exams'],
  [/^(bench|test\/(contract|harness|lib|lint))\//, 'tools'],
  [/^tools\//, '{client,db,docs,exams,simulator}'],
  [/^(docs\/|examples\/|.*\.md$)/, 'docs'],
  [/^(src\/exam|src\/reports|src\/conform|exam.*\.schema\.json)/, '{exams,cli,docs}'],
  [/^src\/lint\//, '{tools,cli,admin}'],
  [/^src\/cli\//, '{cli,docs}'],
  [/^src\/client\//, '{client,docs}'],
  [/^src\/tls\//, '{tls,cli,client}'],
  [/^routes\/(dashboard|pages|assets)\//, '{pages,browser,admin}'],
  [/^routes\/(reference|guide)\//, '{docs,browser}'],
  [/^(simulator|scenarios|src\/scenarios)\//, '{simulator,api,admin,client,tools,docs}'],
  [/^db\/postgres\/|^src\/servers\//, '{db,a-replicas-*}'],
  [/^db\//, '{db,api,admin,simulator,client,tools}']
]

const { values } = parseArgs({ options: { base: { type: 'string', default: 'HEAD' } } })
const git = (...args: string[]): string[] =>
  execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean)
const changed = [
  ...git('diff', '--name-only', values.base),
  ...git('ls-files', '--others', '--exclude-standard')
]
const files = new Set(changed.flatMap(groupsOf))
console.log(`${changed.length} files differ from ${values.base}: ${files.size} groups`)
if (files.size > 0) {
  const { status } = spawnSync('tap', ['run', ...files], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}

/** Lists the files of the groups of a path. A test file with a process of its own runs alone. */
function groupsOf (path: string): string[] {
  for (const [pattern, groups] of rows) {
    const [, folder = ''] = pattern.exec(path) ?? []
    if (!pattern.test(path)) continue
    return globSync(`test/groups/${groups.replace('$1', folder)}.test.ts`)
  }
  return existsSync(path) && path.endsWith('.test.ts') ? [path] : globSync('test/groups/*.test.ts')
}
