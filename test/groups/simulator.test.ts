import { runFiles } from './group.ts'

await runFiles('test/simulator/*.test.ts')
