import { runFiles } from './group.ts'

// Commands that run in this process listen to signals until it ends.
process.setMaxListeners(0)
await runFiles('test/cli/*.test.ts', { full: 'test/cli/{fresh,package,ready,terminal}.test.ts' })
