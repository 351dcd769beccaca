import { runFiles } from './group.ts'

await runFiles('test/{contract,harness,lib,lint}/*.test.ts', {
  full: 'test/harness/{determinism,faults}.test.ts'
})
