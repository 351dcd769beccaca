import { runFiles } from './group.ts'

await runFiles('test/db/*.test.ts')
