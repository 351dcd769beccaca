#!/usr/bin/env node
import { enableCompileCache } from 'node:module'

// Half of a start is reading source, and it is the same source each time. Only what is loaded after this is kept.
enableCompileCache()
const { run } = await import('./cli.ts')
await run(process.argv.slice(2))
