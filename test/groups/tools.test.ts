import { runFiles } from './group.ts'

await runFiles('test/{harness,lib,lint}/*.test.ts', {
  full: 'test/harness/{determinism,faults}.test.ts'
})
