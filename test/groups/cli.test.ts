import { runFiles } from './group.ts'

await runFiles('test/cli/*.test.ts', { full: 'test/cli/package.test.ts' })
