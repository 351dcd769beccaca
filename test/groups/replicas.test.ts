import { runFiles } from './group.ts'

await runFiles('test/replicas/*.test.ts')
