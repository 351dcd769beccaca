#!/usr/bin/env node
import module from 'node:module'
import { engineProblem } from './engine.ts'

const problem = engineProblem()
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

// Half of a start is reading source, and it is the same source each time. Only what is loaded after this is kept.
module.enableCompileCache()
const { run } = await import('./cli.ts')
const code = await run(process.argv.slice(2), { out: process.stdout, err: process.stderr, env: process.env, folder: process.cwd() })
if (code !== undefined) process.exit(code)
