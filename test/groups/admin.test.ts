import { runFiles } from './group.ts'

await runFiles('test/admin/*.test.ts')
