import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** Runs scripts of package.json at the same time: `node test/support/checks.ts lint types`. */

const codes = await Promise.all(
  process.argv.slice(2).map(async (script) => {
    console.log(`npm run ${script}`)
    const [code] = await once(spawn('npm', ['run', '-s', script], { stdio: 'inherit' }), 'exit')
    return code
  })
)
process.exitCode = codes.every((code) => code === 0) ? 0 : 1
