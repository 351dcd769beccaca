import module from 'node:module'

/**
 * `node inside.ts 0 momock [FILE]` or `node inside.ts 0 bare`: starts one of them in this process,
 * as a test does, and prints how many milliseconds passed from its import until it listened. FILE
 * is the main file of a built package.
 */

// The package has no types to strip. Both are compiled already, as when a test is run again.
module.enableCompileCache()

const starts: Record<string, () => Promise<unknown>> = {
  bare: () => import('./bare.js'),
  momock: async () =>
    await (await import(process.argv[4] ?? '../src/index.ts')).createMomock()
}

const begin = performance.now()
await starts[process.argv[3]]()
process.stdout.write(`${JSON.stringify({ took: performance.now() - begin })}\n`)
process.exit()
