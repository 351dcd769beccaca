import { runFiles } from './group.ts'

await runFiles('test/{dashboard,pages}/*.test.ts', {
  except: 'test/*/*browser*.test.ts',
  full: 'test/dashboard/views.test.ts'
})
