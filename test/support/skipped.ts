import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Lists the tests that the last run skipped, with the reason of each. */
const results = fileURLToPath(new URL('../../.tap/test-results', import.meta.url))
const skipped = globSync('**/*.tap', { cwd: results }).flatMap((file) =>
  [...readFileSync(join(results, file), 'utf8').matchAll(/^ *ok \d+ - (.*?) # SKIP ?(.*)$/gm)].map(
    ([, name, reason]) => `  ${file.replace(/\.tap$/, '')}: ${name} (${reason || 'no reason'})`
  )
)
console.log(
  skipped.length === 0 ? '\nNo test was skipped.' : `\nSkipped:\n${skipped.sort().join('\n')}`
)
