import { runFiles } from './group.ts'

/** Several servers on one ledger. `npm test` runs some of each subject in replicas.test.ts. */

await runFiles('test/replicas/*.test.ts', {
  full: 'test/replicas/!(deployment|merges|replicas).test.ts'
})
