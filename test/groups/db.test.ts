import { runFiles } from './group.ts'

await runFiles('test/db/*.test.ts', {
  full: 'test/db/{account-work,copy,copy-failures,crash,postgres-schema}.test.ts'
})
