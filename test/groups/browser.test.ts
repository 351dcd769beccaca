import { runFiles } from './group.ts'

await runFiles('test/{dashboard,docs,pages}/*browser*.test.ts', {
  full: 'test/dashboard/{browser-controls,payments-browser,views-browser}.test.ts'
})
