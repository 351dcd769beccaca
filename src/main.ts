#!/usr/bin/env node
import module from 'node:module'

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  // Said here, before anything is loaded: the first thing to fail on an old one would be a package, with a stack.
  process.stderr.write(`momock cannot start: it needs Node.js 22.18 or later, and this is ${process.version}\n`)
  process.exit(1)
}

// Half of a start is reading source, and it is the same source each time. Only what is loaded after this is kept.
module.enableCompileCache()
const { run } = await import('./cli.ts')
const code = await run(process.argv.slice(2), { out: process.stdout, err: process.stderr, env: process.env, folder: process.cwd() })
if (code !== undefined) process.exit(code)
