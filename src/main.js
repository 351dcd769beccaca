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

/**
 * Exit code of a program whose output nobody reads any more.
 * @type {number | undefined}
 */
let unread

// The reader of a pipe may end first, as `head` does. The exit code is that of a program that the
// system ends for it: nobody may take half of a report for a good result.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', ({ code, message }) => {
    // A terminal that was closed also sends SIGHUP, which decides.
    if (code === 'EIO' || unread !== undefined) return
    unread = code === 'EPIPE' ? 141 : 1
    if (unread === 1) process.stderr.write(`the output cannot be written (${message})\n`)
    // A command that puts something back at its end does so first.
    if (!process.emit('SIGHUP', 'SIGHUP')) process.exit(unread)
  })
}

const { runProgram } = await import('./cli/run.ts')
const code = await runProgram(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
  env: process.env,
  folder: process.cwd()
})
if (code !== undefined) {
  // A pipe takes 64 KiB at once, and an exit drops the rest. An empty text is written after it.
  for (const stream of [process.stdout, process.stderr]) {
    await new Promise((resolve) => stream.write('', resolve))
  }
  process.exit(unread ?? code)
}
