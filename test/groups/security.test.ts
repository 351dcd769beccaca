import { runFiles } from './group.ts'

await runFiles('test/security/*.test.ts')
