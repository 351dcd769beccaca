import { runFiles } from './group.ts'

await runFiles('test/docs/*.test.ts', { except: 'test/docs/*browser*.test.ts' })
