import { runFiles } from './group.ts'

await runFiles('test/{dashboard,docs,pages}/*browser*.test.ts', {
  full: 'test/dashboard/views-browser.test.ts'
})
