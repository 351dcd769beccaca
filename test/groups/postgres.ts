import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createCluster } from '../support/postgres.ts'
import { leftOut } from './left-out.ts'

/**
 * Runs the tests of the API, the simulator, the admin API and the pages with their ledgers in
 * PostgreSQL, and prints what failed. Arguments are patterns of test files. With `--servers 3`,
 * three servers share each ledger, and get the requests of the tests in turn: then each file has a
 * process, and all files run that are not left out.
 */

/** The longest first, so that all processors are busy until the end. */
const groups = [
  'test/groups/{admin,api}.test.ts',
  'test/groups/{client,simulator}.test.ts',
  'test/db/{contract,postgres}.test.ts',
  'test/pages/*.test.ts'
]
/** All test files, with those first that take longest with several servers. */
const all = [
  'test/simulator/{scenario*,callbacks}.test.ts',
  'test/api/{fixtures,checkouts}.test.ts',
  'test/{pages,dashboard}/*browser*.test.ts',
  'test/**/*.test.ts'
]

const { values, positionals: named } = parseArgs({
  options: { servers: { type: 'string', default: '1' } },
  allowPositionals: true
})
const isShared = values.servers !== '1'
const patterns = named.length > 0 ? named : isShared ? all : groups
const files = [...new Set(patterns.flatMap(listFiles))]
const failed: string[] = []
if (isShared) printLeftOut()

/** Lists the files of a pattern, without those that are left out. */
function listFiles (pattern: string): string[] {
  const exclude = isShared ? [...Object.keys(leftOut), 'test/groups/*'] : []
  const found = globSync(pattern, { exclude: pattern.includes('*') ? exclude : [] })
  if (found.length === 0) throw new Error(`there is no test file ${pattern}`)
  return found.sort()
}

function printLeftOut (): void {
  for (const [pattern, reason] of Object.entries(leftOut)) {
    if (globSync(pattern).length === 0) throw new Error(`no file is ${pattern}: see left-out.ts`)
    console.log(`left out ${pattern}: ${reason}`)
  }
}

/** Runs a test file and prints its outcome. */
async function runFile (file: string, url: string): Promise<void> {
  const options = {
    maxBuffer: 2 ** 28,
    timeout: 20 * 60_000,
    env: {
      NODE_COMPILE_CACHE: resolve('node_modules/.cache/compiled'),
      ...process.env,
      TEST_POSTGRES: url,
      TEST_SERVERS: values.servers,
      TAP_TIMEOUT: '600'
    }
  }
  const began = performance.now()
  const [isOk, stdout] = await new Promise<[boolean, string]>((resolve) =>
    execFile(process.execPath, [file], options, (error, stdout) =>
      resolve([error === null, stdout])
    )
  )
  const seconds = Math.round((performance.now() - began) / 1000)
  console.log(`${isOk ? 'ok' : 'not ok'} ${file} (${seconds} s)`)
  printLines(stdout, /^ *ok .*# SKIP (?!takes long).*$/gm)
  if (isOk) return
  failed.push(file)
  if (!printLines(stdout, /^ *not ok .*$/gm)) console.log(stdout.slice(-2000))
}

/** Prints the lines that match, and returns whether there are some. */
function printLines (text: string, pattern: RegExp): boolean {
  const lines = text.match(pattern) ?? []
  for (const line of lines) console.log(`    ${line.trim()}`)
  return lines.length > 0
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
const where = isShared ? `through ${values.servers} servers` : 'with PostgreSQL'
console.log(`${files.length - failed.length} of ${files.length} test files pass ${where}`)
process.exitCode = failed.length === 0 ? 0 : 1
