import { runFiles } from './group.ts'

await runFiles('test/client/*.test.ts')
