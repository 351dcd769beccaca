import { runFiles } from './group.ts'

await runFiles('test/{conform,exam}/*.test.ts', {
  except: 'test/exam/*.full.test.ts',
  full: 'test/conform/differences.test.ts'
})
