import { runFiles } from './group.ts'

await runFiles('test/db/*.test.ts', {
  full: 'test/db/{account-work,crash,postgres-schema}.test.ts'
})
