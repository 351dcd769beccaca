import { runFiles } from './group.ts'

await runFiles('test/api/*.test.ts')
