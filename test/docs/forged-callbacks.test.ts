import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { folder } from '../support/helper.ts'
import { slow } from '../support/limits.ts'
import { root } from './markdown.ts'

/**
 * The documented test "my shop refuses forged callbacks": it passes for the shop of the recipes,
 * and fails for shops that verify too little.
 */

const verified = 'isGenuine(request, body, await keys)'

const all = ['unsigned', 'wrongKey', 'otherHost', 'tampered', 'stale']

/** Shops by their check of a callback, and the forgeries for which the test fails. */
const shops: Array<[what: string, check: string, failing: string[]]> = [
  ['verifies', verified, []],
  ['verifies nothing', 'true', all],
  ['does not look at the time', 'isGenuine(request, body, await keys, 0)', ['stale']],
  ['refuses everything', 'false', all]
]

for (const [what, check, failing] of shops) {
  t.test(`the documented test of a shop that ${what}`, slow, async (t) => {
    const place = folder(t)
    for (const name of ['testing', 'verify']) {
      cpSync(join(root, 'examples', name), join(place, name), { recursive: true })
    }
    const momock = join(place, 'node_modules/momock')
    mkdirSync(momock, { recursive: true })
    const source = pathToFileURL(join(root, 'src/index.ts')).href
    writeFileSync(join(momock, 'package.json'), '{ "type": "module", "exports": "./index.js" }')
    writeFileSync(join(momock, 'index.js'), `export * from '${source}'\n`)
    const shop = join(place, 'testing/shop.mjs')
    const text = readFileSync(shop, 'utf8')
    t.ok(text.includes(verified), 'the shop of the recipes verifies')
    writeFileSync(shop, text.replace(verified, check))
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--test', '--test-reporter=tap', 'forged-callbacks.test.mjs'],
      { cwd: join(place, 'testing'), env }
    ).catch((error: { stdout: string }) => error)
    const results = [...stdout.matchAll(/^(not ok|ok) .*forged callback: (\w+)$/gm)]
    t.equal(results.length, 5, 'each of them ran')
    t.same(
      results.filter(([, result]) => result === 'not ok').map(([, , forgery]) => forgery),
      failing,
      'it fails where the shop is wrong'
    )
  })
}
