import { runFiles } from './group.ts'

await runFiles('test/db/*.test.ts', {
  full: 'test/db/{large-accounts,crash,postgres-schema}.test.ts'
})
