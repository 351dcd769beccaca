import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { createCluster } from '../support/postgres.ts'

/**
 * Runs the tests of the API, the simulator, the admin API and the pages with their ledgers in
 * PostgreSQL, and prints what failed. Arguments are test files, instead of all. With `--servers 3`,
 * three servers share each ledger, and get the requests of the tests in turn.
 */

const folders = ['db/contract', 'db/postgres', 'api/*', 'simulator/*', 'admin/*', 'pages/*']
/** Tests of SQLite itself: the path of a request through our files, and files of ledgers. */
const others = ['test/api/path.test.ts']

const { values, positionals: named } = parseArgs({
  options: { servers: { type: 'string', default: '1' } },
  allowPositionals: true
})
const files = (
  named.length > 0 ? named : folders.flatMap((name) => globSync(`test/${name}.test.ts`))
).filter((file) => !others.includes(file))
const cluster = await createCluster()
const failed: string[] = []
try {
  for (const file of files.sort()) {
    const { status, stdout } = spawnSync(process.execPath, [file], {
      encoding: 'utf8',
      maxBuffer: 2 ** 28,
      timeout: 600_000,
      env: {
        ...process.env,
        TEST_POSTGRES: cluster.url,
        TEST_SERVERS: values.servers,
        TAP_TIMEOUT: '600'
      }
    })
    console.log(`${status === 0 ? 'ok' : 'not ok'} ${file}`)
    if (status === 0) continue
    failed.push(file)
    console.log(stdout.match(/^ *not ok .*$/gm)?.join('\n') ?? stdout.slice(-2000))
  }
} finally {
  cluster.remove()
}
console.log(`${files.length - failed.length} of ${files.length} test files pass with PostgreSQL`)
process.exitCode = failed.length === 0 ? 0 : 1
