import { runFiles } from './group.ts'

// They take minutes. The name puts them at the front.
await runFiles('test/exam/*.full.test.ts', { full: 'test/exam/*.full.test.ts' })
