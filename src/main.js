#!/usr/bin/env node
import module from 'node:module'
import { nodeProblem } from './lib/node-version.js'

// This file is JavaScript, so that an old Node can read it and print a clear message. It also
// enables the compile cache before the first TypeScript file is loaded.

const problem = nodeProblem()
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

// Compiling the source takes half of the start time. The cache holds modules loaded after this.
module.enableCompileCache()

const { runProgram } = await import('./cli/run.ts')
const code = await runProgram(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
  env: process.env,
  folder: process.cwd()
})
if (code !== undefined) process.exit(code)
