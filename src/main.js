#!/usr/bin/env node
import module from 'node:module'
import { nodeProblem } from './lib/node-version.js'

// JavaScript, as what it imports first: a Node that is too old can read it and say so, and one that
// is not need not
// load what takes types away, which everything after this has behind it since the first start.

const problem = nodeProblem()
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

// Half of a start is reading source, and it is the same source each time. Only what is loaded after
// this is kept.
module.enableCompileCache()
const { runProgram: run } = await import('./cli/run.ts')
const code = await run(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
  env: process.env,
  folder: process.cwd()
})
if (code !== undefined) process.exit(code)
