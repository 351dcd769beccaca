import { runFiles } from './group.ts'

await runFiles('test/{conform,exam}/*.test.ts')
