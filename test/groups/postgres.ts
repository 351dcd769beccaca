import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { createCluster } from '../support/postgres.ts'

/**
 * Runs the tests of the API, the simulator, the admin API and the pages with their ledgers in
 * PostgreSQL, and prints what failed. Arguments are test files, instead of all. With `--servers 3`,
 * three servers share each ledger, and get the requests of the tests in turn.
 */

/** The longest first, so that all processors are busy until the end. */
const all = [
  'groups/admin',
  'groups/api',
  'groups/simulator',
  'db/contract',
  'db/postgres',
  'pages/*'
]

const { values, positionals: named } = parseArgs({
  options: { servers: { type: 'string', default: '1' } },
  allowPositionals: true
})
const files =
  named.length > 0 ? named : all.flatMap((name) => globSync(`test/${name}.test.ts`).sort())
const failed: string[] = []

/** Runs a test file and prints its outcome. */
async function runFile (file: string, url: string): Promise<void> {
  const options = {
    maxBuffer: 2 ** 28,
    timeout: 20 * 60_000,
    env: {
      ...process.env,
      TEST_POSTGRES: url,
      TEST_SERVERS: values.servers,
      TAP_TIMEOUT: '600'
    }
  }
  const [isOk, stdout] = await new Promise<[boolean, string]>((resolve) =>
    execFile(process.execPath, [file], options, (error, stdout) =>
      resolve([error === null, stdout])
    )
  )
  console.log(`${isOk ? 'ok' : 'not ok'} ${file}`)
  if (isOk) return
  failed.push(file)
  console.log(stdout.match(/^ *not ok .*$/gm)?.join('\n') ?? stdout.slice(-2000))
}

const cluster = await createCluster()
try {
  const waiting = [...files]
  const runWaiting = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      await runFile(file, cluster.url)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, runWaiting))
} finally {
  cluster.remove()
}
console.log(`${files.length - failed.length} of ${files.length} test files pass with PostgreSQL`)
process.exitCode = failed.length === 0 ? 0 : 1
